// Who asks: the address that a proxy has told us, or the peer's, without its port.
#include <heddle/http/request.hpp>

#include <algorithm>

namespace heddle::http {

std::string_view request::client() const noexcept
{
    if (!client_.empty())
        return {client_.data(), client_.size()};
    const std::string_view all = peer();
    if (all.starts_with('['))
        return all.substr(1, std::min(all.find(']'), all.size()) - 1);
    return all.substr(0, all.find(':'));
}

void request::set_client(std::string_view address) const
{
    client_.assign(address.data(), std::min(address.size(), max_client));
}

} // namespace heddle::http
