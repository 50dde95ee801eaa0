import { define, type EditOf, optional, type ValuesOf } from '../../fields/definition.ts'
import { enumKind, listOf } from '../../fields/kind.ts'
import { countKind, flagKind, idKind } from '../../fields/kinds.ts'
import { modelsMax } from '../../fields/problems.ts'

export const recordingScopes = ['off', 'all', 'keys'] as const
export const recordingReaders = ['owners', 'own-keys', 'members'] as const
const retentionDaysMax = 3_650

/**
 * The rules of an account for recording, and for reading recordings. Only the account decides, so no file of the
 * operator has these fields.
 */
export const recordingPolicyDefinition = define('recording', {
  scope: optional(enumKind(recordingScopes), 'off', {
    about: 'What is recorded: nothing, the requests of the chosen keys, or all requests.',
    by: 'owner',
    file: null,
  }),
  keyIds: optional(listOf(idKind, { max: modelsMax, many: 'list_long' }), [], {
    about: 'The keys whose requests are recorded, with the scope keys.',
    by: 'owner',
    file: null,
  }),
  readers: optional(enumKind(recordingReaders), 'owners', {
    about:
      'Who may read recordings: the owners of the account, also the users of the keys, or all members.',
    by: 'owner',
    file: null,
  }),
  isOpenToOperators: optional(flagKind, false, {
    about: 'Whether the operators of the gateway may read recordings too.',
    by: 'owner',
    file: null,
  }),
  retentionDays: optional(countKind(1, retentionDaysMax), 30, {
    about: 'Days after which a recording is deleted; the gateway may delete it earlier.',
    by: 'owner',
    file: null,
  }),
})

export type RecordingPolicy = ValuesOf<typeof recordingPolicyDefinition>
export type RecordingPolicyEdit = EditOf<typeof recordingPolicyDefinition>
