// Counters and histograms count exactly, and the page writes them as Prometheus reads them.
#include <heddle/base/error.hpp>
#include <heddle/base/metrics.hpp>

#define BOOST_TEST_MODULE metrics
#include <boost/test/unit_test.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(a_counter_loses_nothing_between_threads)
{
    heddle::counter counter;

    std::vector<std::thread> threads;
    for (int t = 0; t < 20; ++t) // more than there are shards
        threads.emplace_back([&counter] {
            for (int i = 0; i < 10'000; ++i)
                counter.add();
        });
    for (auto& thread : threads)
        thread.join();

    BOOST_TEST(counter.value() == 200'000U);
}

BOOST_AUTO_TEST_CASE(a_duration_falls_in_the_first_bucket_whose_bound_it_does_not_exceed)
{
    heddle::histogram histogram;

    histogram.record(-1ns); // counts as 0
    histogram.record(0ns);
    histogram.record(8us);
    histogram.record(8us + 1ns);
    histogram.record(16us);
    histogram.record(16us + 1ns);
    histogram.record(heddle::histogram::bound(heddle::histogram::buckets - 1));
    histogram.record(heddle::histogram::bound(heddle::histogram::buckets - 1) + 1ns);
    histogram.record(24h);

    const auto read = histogram.read();
    BOOST_TEST(read.n.at(0) == 3U);
    BOOST_TEST(read.n.at(1) == 2U);
    BOOST_TEST(read.n.at(2) == 1U);
    BOOST_TEST(read.n.at(heddle::histogram::buckets - 1) == 1U);
    BOOST_TEST(read.n.at(heddle::histogram::buckets) == 2U);
    BOOST_TEST(read.count == 9U);
}

BOOST_AUTO_TEST_SUITE(the_page)

BOOST_AUTO_TEST_CASE(writes_each_family_once_with_its_series)
{
    heddle::counter read;
    heddle::counter write;
    double open = 3;
    read.add(2);
    heddle::metrics_page page;
    page.add("lane_entered_total", "Operations admitted.", read, {{"lane", "read"}});
    page.add_gauge("pool_open", "Connections open now.", [&open] { return open; });
    page.add("lane_entered_total", "Operations admitted.", write, {{"lane", "wr\"ite\n"}});

    const auto text = page.text();

    BOOST_TEST(text == "# HELP lane_entered_total Operations admitted.\n"
                       "# TYPE lane_entered_total counter\n"
                       "lane_entered_total{lane=\"read\"} 2\n"
                       "lane_entered_total{lane=\"wr\\\"ite\\n\"} 0\n"
                       "# HELP pool_open Connections open now.\n"
                       "# TYPE pool_open gauge\n"
                       "pool_open 3\n");
}

BOOST_AUTO_TEST_CASE(shows_what_the_numbers_are_now)
{
    heddle::counter counter;
    heddle::metrics_page page;
    page.add("seen_total", "Seen.", counter);

    const auto before = page.text();
    counter.add(5);

    BOOST_TEST(before.find("seen_total 0\n") != before.npos);
    BOOST_TEST(page.text().find("seen_total 5\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(writes_cumulative_buckets_with_their_sum)
{
    heddle::histogram histogram;
    histogram.record(10us);
    histogram.record(100h);
    heddle::metrics_page page;
    page.add("wait_seconds", "Time waited.", histogram);

    const auto text = page.text();

    BOOST_TEST(text.find("wait_seconds_count 2\n") != text.npos);
    BOOST_TEST(text.find("wait_seconds_sum 360000.00001\n") != text.npos);
    BOOST_TEST(text.find("wait_seconds_bucket{le=\"8e-06\"} 0\n") != text.npos);
    BOOST_TEST(text.find("wait_seconds_bucket{le=\"1.6e-05\"} 1\n") != text.npos);
    BOOST_TEST(text.find("wait_seconds_bucket{le=\"67.108864\"} 1\n") != text.npos);
    BOOST_TEST(text.find("wait_seconds_bucket{le=\"+Inf\"} 2\n") != text.npos);
}

BOOST_AUTO_TEST_CASE(refuses_what_prometheus_could_not_read)
{
    heddle::counter counter;
    heddle::metrics_page page;
    page.add("fine_total", "Fine.", counter);

    BOOST_CHECK_THROW(page.add("not fine", "No.", counter), heddle::config_error);
    BOOST_CHECK_THROW(page.add("also_total", "No.", counter, {{"la-ne", "x"}}), heddle::config_error);
    BOOST_CHECK_THROW(page.add_gauge("fine_total", "No.", [] { return 0.0; }), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
