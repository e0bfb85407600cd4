// What must not leave a transaction's body. complete_test.py compiles this file twice: as it is, which must
// work, and with REFUSED, when each line that ends in "refused" must be an error of ours.
#include <heddle/db/database.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace db = heddle::db;

// Bodies whose results say what they are. Nobody links them.
template <class T>
T give(db::transaction&);

void leaving(db::lane& lane);

void leaving(db::lane& lane)
{
    lane.read(give<std::int64_t>);
    lane.read(give<std::vector<std::optional<std::string>>>);
    lane.transaction(give<std::tuple<int, std::string>>);
    lane.transaction(give<void>);
#ifdef REFUSED
    lane.read(give<db::row>);                                        // refused
    lane.read(give<std::vector<db::row>>);                           // refused
    lane.read(give<db::value>);                                      // refused
    lane.read(give<db::open_cursor>);                                // refused
    lane.read(give<db::cursor*>);                                    // refused
    lane.transaction(give<std::unique_ptr<db::session>>);            // refused
    lane.transaction(give<db::session&>);                            // refused
    lane.transaction(give<db::transaction&>);                        // refused
    lane.transaction(give<std::reference_wrapper<db::transaction>>); // refused
    lane.transaction(give<std::optional<std::string_view>>);         // refused
    lane.transaction([](db::transaction& tx) { return tx.nested(give<db::row*>), 1; }); // refused
    lane.query<std::string_view>("SELECT 1");                        // refused
#endif
}
