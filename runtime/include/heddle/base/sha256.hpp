// SHA-256, for digests that nobody can find another text for. By OpenSSL. Source: FIPS 180-4.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st; // OpenSSL's EVP_MD_CTX

namespace heddle {

class sha256
{
public:
    sha256(); // throws: std::bad_alloc

    void add(std::string_view bytes);

    // The digest's 32 bytes. Nothing may be added afterwards.
    std::string finish();

private:
    struct freed
    {
        void operator()(evp_md_ctx_st* state) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, freed> state_;
};

} // namespace heddle
