import { lookup } from 'node:dns/promises'

/** All addresses of a name, in the order to try. */
export async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
