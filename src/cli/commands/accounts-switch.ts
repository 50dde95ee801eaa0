import { changeAccount } from '../../accounts/account-store.ts'
import type { AccountStatus } from '../../accounts/definition/account.ts'
import { idKind } from '../../fields/kinds.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

export const accountsSuspend: Command = {
  name: 'accounts suspend',
  summary: 'Refuse all keys of an account; running gateways follow within a second.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchAccount(call, 'suspended', 'account.suspended'),
}

export const accountsResume: Command = {
  name: 'accounts resume',
  summary: 'Let the keys of a suspended account work again.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchAccount(call, 'active', 'account.resumed'),
}

function switchAccount(call: CommandCall, status: AccountStatus, action: string): Promise<number> {
  const [typed = ''] = call.positionals
  const id = readTyped('The id', idKind, typed)
  const at = call.world.nowMs()
  return withDatabase(call, async ({ engine }) => {
    const before = await write(engine, at, async (writing) => {
      const row = await writing.tx
        .selectFrom('account')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row)
        throw new CommandProblem(`There is no account "${id}"; see "tollgate accounts list".`)
      if (row.status === status) return row
      await changeAccount(writing, id, { status })
      await recordAudit(writing, {
        at,
        actor: cliActor,
        action,
        subject: id,
        before: row,
        after: { status },
      })
      return row
    })
    call.world.stdout(
      `account ${id} ${before.status === status ? `was ${status} already` : `is ${status}`}\n`,
    )
    return 0
  })
}
