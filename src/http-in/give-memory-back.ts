/** Reading the configuration and the schema leaves garbage behind; a gateway may then be idle for days. */
export function giveMemoryBack(): void {
  Bun.gc(true)
}
