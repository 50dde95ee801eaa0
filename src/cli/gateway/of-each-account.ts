import { isRefusedAs } from './gateway-client.ts'

/** One list after another, of each account that was named; of all there are when none was. An unknown one has nothing. */
export async function* ofEachAccount<Page>(
  accounts: readonly string[] | undefined,
  list: (account: string | undefined) => AsyncIterable<Page>,
): AsyncGenerator<Page> {
  if (!accounts) {
    yield* list(undefined)
    return
  }
  for (const account of accounts) {
    try {
      yield* list(account)
    } catch (error) {
      if (!isRefusedAs(error, 'not_found')) throw error
    }
  }
}
