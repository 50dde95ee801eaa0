import type { KeyOptions, KeyRow } from '../../../src/console-api/contract.ts'

/** What a key can call: models of its groups that its own list does not leave out. */
export function callableModels(
  { groups, models }: Pick<KeyRow, 'groups' | 'models'>,
  options: Pick<KeyOptions, 'models'>,
): string[] {
  return options.models
    .filter((choice) => choice.groups.some((group) => groups.includes(group)))
    .map(({ id }) => id)
    .filter((id) => models === null || models.includes(id))
}
