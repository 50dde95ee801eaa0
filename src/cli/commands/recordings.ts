import { CommandProblem } from '../../app/command-problem.ts'
import { plural } from '../../core/plural.ts'
import { idKind, instantKind, plainTextKind } from '../../fields/kinds.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { saying } from '../gateway/gateway-client.ts'
import { noAccount } from '../not-there.ts'
import { readOption, readTyped } from '../read-typed.ts'
import { withId } from '../with-id.ts'

const endUserKind = plainTextKind(1_000)
/** The last line of an export that could not be finished. */
const incomplete = '{"incomplete":true}\n'

export const recordingsExport: Command = {
  name: 'recordings export',
  summary:
    'Print the recordings of an account with their bodies as JSON lines, newest first. The audit log records this.',
  example: 'acme --from 2027-01-01 > recordings.jsonl',
  positionals: ['ACCOUNT'],
  options: {
    key: { kind: 'text', placeholder: 'ID', description: 'Only requests of this key.' },
    'end-user': { kind: 'text', placeholder: 'ID', description: 'Only requests of this end user.' },
    from: { kind: 'text', placeholder: 'TIME', description: 'Start, such as 2027-01-01.' },
    to: { kind: 'text', placeholder: 'TIME', description: 'End, exclusive.' },
  },
  run: (call) =>
    withId(call, async (gateway, id) => {
      const query = {
        key: readOption(call, 'key', idKind),
        endUser: readOption(call, 'end-user', endUserKind),
        from: momentOf(call, 'from'),
        to: momentOf(call, 'to'),
      }
      const text = await gateway
        .text('POST /accounts/{id}/recordings/export', {
          id,
          query,
          isLong: true,
          ifLost: 'It is safe to repeat the command.',
        })
        .catch(saying({ not_found: noAccount(id) }))
      call.context.stdout(text)
      if (!text.endsWith(incomplete)) return 0
      throw new CommandProblem(
        'The export is incomplete; export a shorter time with --from and --to.',
      )
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
        .catch(saying({ not_found: noAccount(id) }))
      call.context.stdout(`${plural(erased, 'recording')} deleted\n`)
      return 0
    })
  },
}

function momentOf(call: CommandCall, option: string): string | undefined {
  const ms = readOption(call, option, instantKind)
  return ms === undefined ? undefined : String(ms)
}
