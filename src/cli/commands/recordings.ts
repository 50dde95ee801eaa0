import { plural } from '../../core/text/plural.ts'
import { idKind } from '../../fields/kinds.ts'
import { endUserKind } from '../../recording/definition/end-user.ts'
import type { Command } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noAccount } from '../not-found.ts'
import { readOption, readTyped } from '../read-typed.ts'
import { withId } from '../with-id.ts'
import { readTimes, timeOptions, writeExport } from '../write-export.ts'

export const recordingsExport: Command = {
  name: 'recordings export',
  summary:
    'Print the recordings of an account with their bodies as JSON lines, newest first. The audit log records this.',
  example: 'acme --from 2027-01-01 > recordings.jsonl',
  positionals: ['ACCOUNT'],
  options: {
    key: { kind: 'text', placeholder: 'ID', description: 'Only requests of this key.' },
    'end-user': { kind: 'text', placeholder: 'ID', description: 'Only requests of this end user.' },
    ...timeOptions,
  },
  run: (call) =>
    withId(call, async (gateway, id) => {
      const query = {
        key: readOption(call, 'key', idKind),
        endUser: readOption(call, 'end-user', endUserKind),
        ...readTimes(call),
      }
      const text = await gateway
        .text('POST /accounts/{id}/recordings/export', {
          id,
          query,
          isLong: true,
          ifLost: 'It is safe to repeat the command.',
        })
        .catch(rewordRefusal({ not_found: noAccount(id) }))
      return writeExport(call, text)
    }),
}

export const recordingsErase: Command = {
  name: 'recordings erase',
  summary: 'Delete every recording of an end user of an account.',
  example: 'acme user-42',
  positionals: ['ACCOUNT', 'END_USER'],
  options: { yes },
  run: async (call) => {
    const [account = '', typed = ''] = call.positionals
    const endUser = readTyped('The end-user id', endUserKind, typed)
    await confirm(call, `This deletes the recordings of an end user of ${account} for good`)
    return withId(call, async (gateway, id) => {
      const { erased } = await gateway
        .call('POST /accounts/{id}/recordings/erase', {
          id,
          body: { endUser },
          isLong: true,
          ifLost: 'It is safe to repeat the command.',
        })
        .catch(rewordRefusal({ not_found: noAccount(id) }))
      call.context.stdout(`${plural(erased, 'recording')} deleted\n`)
      return 0
    })
  },
}
