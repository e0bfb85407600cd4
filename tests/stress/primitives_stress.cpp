// The program that the storms of semaphore, gate and pool are part of.
#define BOOST_TEST_MODULE primitives_stress
#include <boost/test/unit_test.hpp>
