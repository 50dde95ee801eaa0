import { dollarsMust, readDollars } from '../../config/entry-fields.ts'
import { newId } from '../../core/id.ts'
import { formatDollars } from '../../core/money.ts'
import { grantCredit } from '../../ledger/credits.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { CommandProblem, UsageProblem } from '../usage-problem.ts'
import { withDatabase } from '../with-database.ts'

export const accountsCredit: Command = {
  name: 'accounts credit',
  summary: 'Add money to an account.',
  positionals: ['ID', 'AMOUNT'],
  options: {
    reason: { kind: 'text', placeholder: 'TEXT', description: 'Why, for the records.' },
    id: {
      kind: 'text',
      placeholder: 'TEXT',
      description: 'Your own number for this credit; told twice, it is granted once.',
    },
  },
  run: (call) => {
    const [accountId = '', amount = ''] = call.positionals
    const amountNano = readDollars(amount)
    if (amountNano === undefined || amountNano === 0n) {
      throw new UsageProblem(`The amount ${dollarsMust} and more than nothing, not "${amount}".`)
    }
    return addCredit(call, accountId, amountNano)
  },
}

async function addCredit(
  call: CommandCall,
  accountId: string,
  amountNano: bigint,
): Promise<number> {
  const { nowMs, random, stdout } = call.world
  const at = nowMs()
  const id = newId('credit', random)
  const externalId = call.text('id') ?? id
  const reason = call.text('reason') ?? 'added on the command line'
  return withDatabase(call, async ({ engine }) => {
    const result = await write(engine, at, async (writing) => {
      const find = () =>
        writing.tx
          .selectFrom('account')
          .select('available_nano')
          .where('id', '=', accountId)
          .executeTakeFirst()
      const before = await find()
      if (!before) {
        throw new CommandProblem(
          `There is no account "${accountId}"; make it with "tollgate accounts create ${accountId}".`,
        )
      }
      const grant = { id, accountId, amountNano, source: cliActor, externalId, reason, at }
      const isGranted = await grantCredit(writing, grant)
      if (isGranted) {
        const after = { amountNano, externalId, reason }
        const action = 'account.credited'
        await recordAudit(writing, { at, actor: cliActor, action, subject: accountId, after })
      }
      return { isGranted, availableNano: (await find())?.available_nano ?? 0n }
    })
    const done = result.isGranted
      ? `${formatDollars(amountNano)} US$ added to ${accountId}`
      : `the credit "${externalId}" was granted before, nothing added to ${accountId}`
    stdout(`${done}; ${formatDollars(result.availableNano)} US$ available\n`)
    return 0
  })
}
