const rooted = /^[a-z]+_([0-9A-Za-z]{22})_?\d+$/

/**
 * Ids for one reply and its items. All hold the letters of the first, the reply's own: a client that refers to
 * an item alone leads to the reply that it stands in.
 */
export function openReplyIds(mint: (prefix: string) => string): (prefix: string) => string {
  let root: string | undefined
  let count = 0
  return (prefix) => {
    if (root !== undefined) {
      count += 1
      return `${prefix}${root}_${count}`
    }
    const id = mint(prefix)
    root = id.slice(prefix.length)
    return id
  }
}

/** The id of the reply that an item stands in; undefined for an item that was not named here. */
export function replyIdOf(itemId: string, prefix: string): string | undefined {
  const root = rooted.exec(itemId)?.[1]
  return root === undefined ? undefined : prefix + root
}
