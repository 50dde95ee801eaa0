import type { KeyOptions, KeyRow } from '../../../src/console-api/contract.ts'

/** The models that a key can call: those of its groups, limited by the key's own list. */
export function callableModels(
  { groups, models }: Pick<KeyRow, 'groups' | 'models'>,
  options: Pick<KeyOptions, 'models'>,
): string[] {
  return options.models
    .filter((choice) => choice.groups.some((group) => groups.includes(group)))
    .map(({ id }) => id)
    .filter((id) => models === null || models.includes(id))
}
