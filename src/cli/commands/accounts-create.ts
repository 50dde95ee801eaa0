import { addAccount } from '../../accounts/account-store.ts'
import { newAccountDefinition } from '../../accounts/definition/account.ts'
import { newId } from '../../core/id.ts'
import { formatDollars } from '../../core/money.ts'
import { partOf } from '../../fields/definition.ts'
import { grantCredit } from '../../ledger/credits.ts'
import { knownIds } from '../../provision/known-ids.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command } from '../command.ts'
import { yes } from '../confirm.ts'
import { confirmLarge } from '../confirm-large.ts'
import { readSome, someOptions } from '../defined-options.ts'
import { readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

const said = partOf(newAccountDefinition, ['name', 'creditNano'])

export const accountsCreate: Command = {
  name: 'accounts create',
  summary: 'Make an account.',
  positionals: ['ID'],
  options: {
    ...someOptions(said),
    name: { kind: 'text', placeholder: 'TEXT', description: 'Its name. Default: its id.' },
    yes,
  },
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', newAccountDefinition.fields.id.kind, typed)
    const { name = id, creditNano } = readSome(said, call)
    const amountNano = creditNano ?? 0n
    await confirmLarge(call, amountNano)
    const { nowMs, random, stdout } = call.world
    const at = nowMs()
    return withDatabase(call, async ({ engine }) => {
      await write(engine, at, async (writing) => {
        const known = await knownIds(writing.tx, 'account', [id])
        if (known.has(id)) throw new CommandProblem(`There is an account "${id}" already.`)
        await addAccount(writing, at, { id, name })
        const creditId = newId('credit', random)
        if (amountNano > 0n) {
          await grantCredit(writing, {
            id: creditId,
            accountId: id,
            amountNano,
            source: cliActor,
            externalId: creditId,
            reason: 'credit to start with',
            at,
          })
        }
        const after = { name, amountNano }
        await recordAudit(writing, {
          at,
          actor: cliActor,
          action: 'account.created',
          subject: id,
          after,
        })
      })
      stdout(`account ${id} made with ${formatDollars(amountNano)} US$ of credit\n`)
      return 0
    })
  },
}
