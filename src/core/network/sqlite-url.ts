/** The path of the file of an embedded database; undefined for the URL of another database. */
export function sqlitePathOf(url: string): string | undefined {
  return /^sqlite:\/\/(.+)$/.exec(url)?.[1]
}

export function sqliteUrlOf(path: string): string {
  return `sqlite://${path}`
}
