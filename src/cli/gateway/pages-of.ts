/** Reads the pages of a list, one at a time. */
export async function* pagesOf<Page extends { readonly next: string | null }>(
  read: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let after: string | undefined
  do {
    const page: Page = await read(after)
    yield page
    // Without this check, a gateway that repeats a page would cause an endless loop.
    if (page.next === after) return
    after = page.next ?? undefined
  } while (after !== undefined)
}
