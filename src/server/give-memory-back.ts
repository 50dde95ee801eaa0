/** What the start has begun beside it (worker threads, the first look at changes) is done by then. */
const againMs = 500

/** Reading the configuration and the schema leaves garbage behind; a gateway may then be idle for days. */
export function giveMemoryBack(): void {
  Bun.gc(true)
  setTimeout(() => Bun.gc(true), againMs).unref()
}
