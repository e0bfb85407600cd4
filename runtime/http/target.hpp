// What a request may ask for, and of whom: targets and authorities, as bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::http {

// Whether all of it may stand in a target: visible ASCII without '#', which clients keep for themselves, and
// '\', which some readers take for '/'. Other bytes that a URI has no place for ("<>^`{|}) mean the same to
// all, and clients do send them. Source: RFC 9112 §3.2, RFC 3986 §2.
bool is_target_text(std::string_view text) noexcept;

// Where the path of an absolute-form target begins, which may be at its end or at the query; 0 for the other
// forms. Source: RFC 9112 §3.2.2.
std::size_t path_start(std::string_view target) noexcept;

// "example.org:8080" of "http://example.org:8080/path"; empty for the other forms.
std::string_view authority_of(std::string_view target) noexcept;

// Whether it is a host that is not empty, and perhaps a port. Names, IPv4 and [IPv6]; no user, no zone.
// Source: RFC 9110 §4.2.1 and §7.2, RFC 3986 §3.2.2.
bool is_authority(std::string_view text) noexcept;

} // namespace heddle::http
