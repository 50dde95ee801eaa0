/** Goes through the pages of a list, one at a time. */
export async function* pagesOf<Page extends { readonly next: string | null }>(
  read: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let after: string | undefined
  do {
    const page: Page = await read(after)
    yield page
    // A gateway that does not move on would be asked for ever.
    if (page.next === after) return
    after = page.next ?? undefined
  } while (after !== undefined)
}
