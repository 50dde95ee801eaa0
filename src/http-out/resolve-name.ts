import { lookup } from 'node:dns/promises'

/** All addresses of a name, the one to be tried first in front. */
export async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
