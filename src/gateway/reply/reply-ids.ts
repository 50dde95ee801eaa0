const rooted = /^[a-z]+_([0-9A-Za-z]{22})_?\d+$/

/**
 * Mints the ids of a reply and its items. Each item id contains the random part of the reply's id, so that a reference
 * to an item leads to its reply.
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

/** The id of the reply that contains an item; undefined for an item id that this gateway did not mint. */
export function replyIdOf(itemId: string, prefix: string): string | undefined {
  const root = rooted.exec(itemId)?.[1]
  return root === undefined ? undefined : prefix + root
}
