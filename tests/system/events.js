// Listens to the server-sent events of a URL with the eventsource module, as a browser does: writes each event of the
// type "tick", and "again" when it has lost the connection and will come back. Ends after so many events.
// Usage: node events.js URL COUNT
const EventSource = require("eventsource");

const [url, count] = process.argv.slice(2);
const source = new EventSource(url);
let seen = 0;

source.onerror = (error) => console.log(JSON.stringify({ again: error.status ?? null }));
source.addEventListener("tick", (event) => {
  console.log(JSON.stringify({ id: event.lastEventId, data: event.data, at: Date.now() }));
  if (++seen == count) {
    source.close();
    process.exit(0);
  }
});
