// Certificates for one test, made by the openssl command.
#pragma once

#include <heddle/net/tls.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

// An authority of its own, and what it has signed.
class certificates
{
public:
    explicit certificates(const std::string& authority = "test authority")
    {
        std::ofstream(file("c.cnf")) << "[req]\ndistinguished_name=dn\n[dn]\n"; // not the machine's own
        run("req -x509 -config c.cnf " + new_key("ca") + " -out ca.pem -subj '/CN=" + authority +
            "' -days 2 -addext basicConstraints=critical,CA:TRUE");
    }

    std::string authority() const { return file("ca.pem"); }

    // `names`: "DNS:a.test,IP:127.0.0.1".
    heddle::net::tls_certificate issue(const std::string& name, const std::string& names, int days = 2)
    {
        run("req -new -config c.cnf " + new_key(name) + " -out x.csr -subj /CN=" + name +
            " -addext subjectAltName=" + names);
        run("x509 -req -in x.csr -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy -out " +
            name + ".pem -days " + std::to_string(days));
        return {.chain = file(name + ".pem"), .key = file(name + ".key")};
    }

    std::string file(const std::string& name) const { return directory_.path(name); }

private:
    static std::string new_key(const std::string& name)
    {
        return "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout " + name + ".key";
    }

    void run(const std::string& arguments) const
    {
        const std::string command = "cd " + directory_.path() + " && openssl " + arguments + " >log 2>&1";
        if (std::system(command.c_str()) != 0)
            throw std::runtime_error("failed: " + command);
    }

    heddle::testing::temporary_directory directory_;
};
