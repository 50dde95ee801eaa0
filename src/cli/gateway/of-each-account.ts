import { isRefusedAs } from './gateway-client.ts'

/**
 * The lists of all named accounts, one after another; of every account when none is named. An unknown account has an
 * empty list.
 */
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
