/** Reading the configuration and the schema leaves garbage behind, and a gateway may then be idle for days. */
export function releaseMemory(): void {
  Bun.gc(true)
}
