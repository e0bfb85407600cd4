#include <heddle/base/sha256.hpp>

#include <array>
#include <new>

#include <openssl/evp.h>

namespace heddle {

namespace {

// For what fails only without memory.
void check(int outcome)
{
    if (outcome != 1)
        throw std::bad_alloc();
}

} // namespace

void sha256::freed::operator()(evp_md_ctx_st* state) const noexcept
{
    EVP_MD_CTX_free(state);
}

sha256::sha256() : state_(EVP_MD_CTX_new())
{
    check(state_ ? 1 : 0);
    check(EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr));
}

void sha256::add(std::string_view bytes)
{
    check(EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()));
}

std::string sha256::finish()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    check(EVP_DigestFinal_ex(state_.get(), digest.data(), &size));
    return {reinterpret_cast<const char*>(digest.data()), size};
}

} // namespace heddle
