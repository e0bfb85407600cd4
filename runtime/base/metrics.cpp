// The page is the one Collectable of prometheus-cpp; its serializer writes the text.
#include <heddle/base/metrics.hpp>

#include <heddle/base/error.hpp>

#include <prometheus/check_names.h>
#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <algorithm>

namespace heddle {

namespace metrics_detail {

namespace {

std::size_t next_shard() noexcept
{
    static std::atomic<std::size_t> threads = 0;
    return threads.fetch_add(1, std::memory_order_relaxed) % shards;
}

} // namespace

[[gnu::noinline]] std::size_t shard() noexcept
{
    thread_local const std::size_t mine = next_shard();
    return mine;
}

} // namespace metrics_detail

histogram::snapshot histogram::read() const noexcept
{
    snapshot sum;
    std::uint64_t nanoseconds = 0;
    for (const auto& shard : shards_) {
        for (std::size_t i = 0; i < sum.n.size(); ++i)
            sum.n[i] += shard.n[i].load(std::memory_order_relaxed);
        nanoseconds += shard.nanoseconds.load(std::memory_order_relaxed);
    }
    for (const auto n : sum.n)
        sum.count += n;
    sum.sum = std::chrono::nanoseconds(nanoseconds);
    return sum;
}

namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

double seconds(std::chrono::duration<double> d)
{
    return d.count();
}

ClientMetric::Histogram to_prometheus(const histogram::snapshot& read)
{
    ClientMetric::Histogram out;
    out.sample_count = read.count;
    out.sample_sum = seconds(read.sum);
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < histogram::buckets; ++i) {
        cumulative += read.n[i];
        out.bucket.push_back({cumulative, seconds(histogram::bound(i))});
    }
    return out;
}

struct series
{
    std::vector<ClientMetric::Label> labels;
    std::function<void(ClientMetric&)> read;
};

struct family
{
    std::string name;
    std::string help;
    MetricType type;
    std::vector<series> all;
};

void check(const std::string& name, const metric_labels& labels)
{
    if (!prometheus::CheckMetricName(name))
        throw config_error("'" + name + "' cannot be the name of a metric");
    for (const auto& [label, value] : labels)
        if (!prometheus::CheckLabelName(label))
            throw config_error("'" + label + "' cannot be a label of the metric " + name);
}

} // namespace

struct metrics_page::implementation : prometheus::Collectable
{
    std::vector<prometheus::MetricFamily> Collect() const override
    {
        std::vector<prometheus::MetricFamily> out;
        out.reserve(families.size());
        for (const auto& family : families) {
            out.push_back({family.name, family.help, family.type, {}});
            for (const auto& series : family.all) {
                auto& metric = out.back().metric.emplace_back();
                metric.label = series.labels;
                series.read(metric);
            }
        }
        return out;
    }

    void add(const std::string& name, const std::string& help, MetricType type, const metric_labels& labels,
             std::function<void(ClientMetric&)> read)
    {
        check(name, labels);
        auto place =
            std::find_if(families.begin(), families.end(), [&](const family& f) { return f.name == name; });
        if (place == families.end())
            place = families.insert(place, {name, help, type, {}});
        else if (place->type != type)
            throw config_error("the metric " + name + " was added with two types");
        auto& added = place->all.emplace_back();
        for (const auto& [label, value] : labels)
            added.labels.push_back({label, value});
        added.read = std::move(read);
    }

    std::vector<family> families;
};

metrics_page::metrics_page() : implementation_(std::make_unique<implementation>()) {}
metrics_page::~metrics_page() = default;

void metrics_page::add(const std::string& name, const std::string& help, const counter& counter,
                       const metric_labels& labels)
{
    add_counter(
        name, help, [&counter] { return static_cast<double>(counter.value()); }, labels);
}

void metrics_page::add(const std::string& name, const std::string& help, const histogram& histogram,
                       const metric_labels& labels)
{
    implementation_->add(name, help, MetricType::Histogram, labels, [&histogram](ClientMetric& metric) {
        metric.histogram = to_prometheus(histogram.read());
    });
}

void metrics_page::add_counter(const std::string& name, const std::string& help, std::function<double()> read,
                               const metric_labels& labels)
{
    implementation_->add(name, help, MetricType::Counter, labels,
                         [read = std::move(read)](ClientMetric& metric) { metric.counter.value = read(); });
}

void metrics_page::add_gauge(const std::string& name, const std::string& help, std::function<double()> read,
                             const metric_labels& labels)
{
    implementation_->add(name, help, MetricType::Gauge, labels,
                         [read = std::move(read)](ClientMetric& metric) { metric.gauge.value = read(); });
}

std::string metrics_page::text() const
{
    return prometheus::TextSerializer().prometheus::Serializer::Serialize(implementation_->Collect());
}

} // namespace heddle
