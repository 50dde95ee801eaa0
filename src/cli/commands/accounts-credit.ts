import { newId } from '../../core/id.ts'
import { formatDollars, type Nano } from '../../core/money.ts'
import { partOf } from '../../fields/definition.ts'
import { idKind } from '../../fields/kinds.ts'
import { CreditShortage, grantCredit, reverseCredit } from '../../ledger/credits.ts'
import { creditDefinition, grantAmountKind } from '../../ledger/definition/credit.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { recordAudit } from '../../store/audit.ts'
import { type Writing, write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLarge } from '../confirm-large.ts'
import { definedOptions, readOptions, readSome, someOptions } from '../defined-options.ts'
import { noAccount } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

const why = partOf(creditDefinition, ['reason'])
const ownNumber = partOf(creditDefinition, ['externalId'])

export const accountsCredit: Command = {
  name: 'accounts credit',
  summary: 'Add money to an account.',
  positionals: ['ID', 'AMOUNT'],
  options: { ...someOptions(why), ...someOptions(ownNumber), yes },
  run: async (call) => {
    const amountNano = readAmount(call)
    await confirmLarge(call, amountNano)
    const { reason = 'added on the command line' } = readSome(why, call)
    return addCredit(call, amountNano, reason)
  },
}

export const accountsCorrect: Command = {
  name: 'accounts correct',
  summary: 'Take money back from an account; never more than it has available.',
  positionals: ['ID', 'AMOUNT'],
  options: { ...definedOptions(why), ...someOptions(ownNumber), yes },
  run: async (call) => {
    const accountId = accountOf(call)
    const { reason } = readOptions(why, 'accounts correct', call)
    const amountNano = readAmount(call)
    await confirm(call, `This takes ${formatDollars(amountNano)} US$ back from ${accountId}`)
    return addCredit(call, -amountNano, reason)
  },
}

export const accountsReverse: Command = {
  name: 'accounts reverse',
  summary: 'Take one credit back, whole and once.',
  positionals: ['ID', 'CREDIT'],
  options: { yes },
  run: async (call) => {
    const accountId = accountOf(call)
    const [, named] = call.positionals
    await confirm(call, `This takes the whole credit "${named}" back from ${accountId}`)
    return reverse(call)
  },
}

function accountOf({ positionals: [id = ''] }: CommandCall): string {
  return readTyped('The id', idKind, id)
}

function readAmount({ positionals: [, amount = ''] }: CommandCall): Nano {
  return readTyped('The amount', grantAmountKind, amount)
}

function addCredit(call: CommandCall, amountNano: Nano, reason: string): Promise<number> {
  const accountId = accountOf(call)
  const id = newId('credit', call.world.random)
  const { externalId = id } = readSome(ownNumber, call)
  const credit = { amountNano, externalId, reason }
  const [done, action] =
    amountNano < 0n
      ? ([`${formatDollars(-amountNano)} US$ taken back from`, 'account.corrected'] as const)
      : ([`${formatDollars(amountNano)} US$ added to`, 'account.credited'] as const)
  return moveMoney(call, async (writing, at) => {
    const grant = { ...credit, id, accountId, source: cliActor, at }
    if (!(await grantCredit(writing, grant))) {
      return amountNano < 0n
        ? `the correction "${externalId}" was made before, nothing taken from ${accountId}`
        : `the credit "${externalId}" was granted before, nothing added to ${accountId}`
    }
    await recordAudit(writing, { at, actor: cliActor, action, subject: accountId, after: credit })
    return `${done} ${accountId}`
  })
}

function reverse(call: CommandCall): Promise<number> {
  const accountId = accountOf(call)
  // Numbers that were given before there was a rule for them are found too.
  const [, named = ''] = call.positionals
  return moveMoney(call, async (writing, at) => {
    const credit = await findCredit(writing, accountId, named)
    if (credit.reverses !== null) {
      throw new CommandProblem(`"${named}" is a reversal itself; add a new credit instead.`)
    }
    const reversal = { id: newId('credit', call.world.random), source: cliActor, at }
    if (!(await reverseCredit(writing, credit, reversal))) {
      return `the credit "${named}" was reversed before, nothing changed in ${accountId}`
    }
    const amountNano = -credit.amount_nano
    const after = { amountNano, reason: credit.reason, reverses: credit.id }
    const action = 'account.credit-reversed'
    await recordAudit(writing, { at, actor: cliActor, action, subject: accountId, after })
    return `the credit "${named}" of ${formatDollars(credit.amount_nano)} US$ is reversed in ${accountId}`
  })
}

/** By its id, or by the number that whoever granted it gave it. */
async function findCredit({ tx }: Writing, accountId: string, named: string) {
  const found = await tx
    .selectFrom('credit')
    .select(['id', 'account_id', 'amount_nano', 'reason', 'reverses'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('id', '=', named), eb('external_id', '=', named)]))
    .execute()
  const [credit, second] = found
  if (!credit) {
    throw new CommandProblem(
      `The account "${accountId}" has no credit "${named}"; see "tollgate audit --account ${accountId}".`,
    )
  }
  if (second) {
    const ids = found.map(({ id }) => id).join(', ')
    throw new CommandProblem(`More than one credit is called "${named}"; name one of ${ids}.`)
  }
  return credit
}

async function moveMoney(
  call: CommandCall,
  work: (writing: Writing, at: number) => Promise<string>,
): Promise<number> {
  const accountId = accountOf(call)
  const at = call.world.nowMs()
  return withDatabase(call, async ({ engine }) => {
    const result = await write(engine, at, async (writing) => {
      await availableIn(writing, accountId)
      const done = await work(writing, at)
      return { done, availableNano: await availableIn(writing, accountId) }
    }).catch((error: unknown) => {
      throw error instanceof CreditShortage ? shortageProblem(accountId, error) : error
    })
    const available = formatDollars(result.availableNano)
    call.world.stdout(`${result.done}; ${available} US$ available\n`)
    return 0
  })
}

function shortageProblem(accountId: string, shortage: CreditShortage): CommandProblem {
  const [wanted, available, leased] = [
    shortage.wantedNano,
    shortage.availableNano,
    shortage.leasedNano,
  ].map(formatDollars)
  return new CommandProblem(
    `The account "${accountId}" has ${available} US$ available and ${leased} US$ reserved for requests, so ${wanted} US$ cannot be taken back; "tollgate accounts correct" takes a part.`,
  )
}

async function availableIn({ tx }: Writing, accountId: string): Promise<Nano> {
  const account = await tx
    .selectFrom('account')
    .select('available_nano')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!account) {
    throw noAccount(accountId)
  }
  return account.available_nano
}
