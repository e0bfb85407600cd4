// The module of what is ready to go around handlers.
#define BOOST_TEST_MODULE ready_made
#include <boost/test/unit_test.hpp>
