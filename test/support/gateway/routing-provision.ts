import type { Provision, ProvisionUpstream } from '../../../src/config/provision.ts'
import { credentials } from './test-provision.ts'

const where = 'test'

/**
 * Adds models to the group `default` of every test gateway. gpt-keys has an upstream with two credentials and a second
 * upstream of lower priority. llama-x, which does not reason, has two upstreams of different priority; llama-hasty too,
 * and its first upstream has half a second for the first token. gpt-even has two equal upstreams. gpt-capped allows one
 * concurrent request. gpt-y is the fallback of gpt-main.
 */
export function withRouting(provision: Provision): Provision {
  const [like] = provision.models
  const one = provision.upstreams.find(({ id }) => id === 'one')
  const two = provision.upstreams.find(({ id }) => id === 'two')
  if (!like || !one || !two) throw new Error('the usual provision has changed')
  const both = [
    { name: 'first', value: credentials.one },
    { name: 'second', value: credentials.two },
  ]
  const at = (
    place: ProvisionUpstream,
    id: string,
    model: string,
    own: Partial<ProvisionUpstream> = {},
  ): ProvisionUpstream => ({
    ...place,
    id,
    models: [{ model, upstreamModel: model }],
    priority: 0,
    ...own,
  })
  return {
    ...provision,
    groups: provision.groups.map((group) =>
      group.id === 'default' ? { ...group, fallbacks: { 'gpt-main': ['gpt-y'] } } : group,
    ),
    models: [
      ...provision.models,
      ...['gpt-keys', 'llama-x', 'llama-hasty', 'gpt-even', 'gpt-capped', 'gpt-main'].map((id) => ({
        ...like,
        id,
        where,
      })),
    ],
    upstreams: [
      ...provision.upstreams,
      at(one, 'keys', 'gpt-keys', { credentials: both }),
      at(two, 'keys-later', 'gpt-keys', { priority: 1 }),
      at(one, 'llama', 'llama-x'),
      at(two, 'llama-later', 'llama-x', { priority: 1 }),
      at(one, 'hasty', 'llama-hasty', { timeouts: { firstTokenMs: 500 } }),
      at(two, 'hasty-later', 'llama-hasty', { priority: 1 }),
      at(one, 'even-one', 'gpt-even'),
      at(two, 'even-two', 'gpt-even'),
      at(one, 'capped', 'gpt-capped', { concurrencyMax: 1 }),
      at(two, 'main', 'gpt-main'),
    ],
  }
}
