import type { MoneyMoved } from '../../console-api/contract.ts'
import { newId } from '../../core/id.ts'
import { creditReasons } from '../../core/money/credit-reasons.ts'
import { dollarText, type Nano } from '../../core/money/money.ts'
import { partOf } from '../../fields/definition.ts'
import { idKind } from '../../fields/kinds.ts'
import type { ProblemValues } from '../../fields/problems.ts'
import { creditDefinition, grantAmountKind } from '../../ledger/definition/credit.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLarge } from '../confirm-large.ts'
import { definedOptions, readOptions, readSome, someOptions } from '../defined-options.ts'
import { GatewayRefusal, rewordRefusal } from '../gateway/gateway-client.ts'
import { readIdempotencyKey } from '../gateway/idempotency.ts'
import { idempotencyOption } from '../gateway/remote-options.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'
import { readTyped } from '../read-typed.ts'

const why = partOf(creditDefinition, ['reason'])
const ownNumber = partOf(creditDefinition, ['externalId'])

export const accountsCredit: Command = {
  name: 'accounts credit',
  summary: 'Add money to an account.',
  example: 'acme 25 --id invoice-7 --reason "Invoice 7"',
  positionals: ['ID', 'AMOUNT'],
  options: { ...someOptions(why), ...someOptions(ownNumber), ...idempotencyOption, yes },
  run: async (call) => {
    const amountNano = readAmount(call)
    const { reason = creditReasons.commandLine } = readSome(why, call)
    return addCredit(call, amountNano, reason)
  },
}

export const accountsCorrect: Command = {
  name: 'accounts correct',
  summary: 'Deduct money from an account; never more than it has available.',
  example: 'acme 5 --reason "Granted twice"',
  positionals: ['ID', 'AMOUNT'],
  options: { ...definedOptions(why), ...someOptions(ownNumber), ...idempotencyOption, yes },
  run: async (call) => {
    const accountId = accountOf(call)
    const { reason } = readOptions(why, 'accounts correct', call)
    const amountNano = readAmount(call)
    await confirm(call, `This deducts ${dollarText(amountNano)} from ${accountId}`)
    return addCredit(call, -amountNano, reason)
  },
}

export const accountsReverse: Command = {
  name: 'accounts reverse',
  summary: 'Reverse one credit completely. A repeated reversal changes nothing.',
  example: 'acme invoice-7',
  positionals: ['ID', 'CREDIT'],
  options: { yes },
  run: async (call) => {
    const accountId = accountOf(call)
    const [, named] = call.positionals
    await confirm(call, `This reverses the whole credit "${named}" of ${accountId}`)
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
  const { number, idempotencyKey } = readIdempotencyKey(call, () =>
    newId('credit', call.context.random),
  )
  const { externalId = number } = readSome(ownNumber, call)
  return withGateway(call, async (gateway) => {
    const body = { amountNano: String(amountNano), reason, externalId }
    const account = await confirmLarge(call, accountId, (query) =>
      gateway.call('POST /operate/accounts/{id}/credits', {
        id: accountId,
        query,
        body,
        idempotencyKey,
      }),
    ).catch(explain(accountId))
    return report(call, account, describeCredit(account, amountNano, externalId))
  })
}

function describeCredit(account: MoneyMoved, amountNano: Nano, externalId: string): string {
  const { id, movedNano } = account
  if (amountNano < 0n) {
    return movedNano === '0'
      ? `the correction "${externalId}" already exists; nothing was taken from ${id}`
      : `${dollarText(-amountNano)} deducted from ${id}`
  }
  return movedNano === '0'
    ? `the credit "${externalId}" already exists; nothing was added to ${id}`
    : `${dollarText(amountNano)} added to ${id}`
}

function reverse(call: CommandCall): Promise<number> {
  const accountId = accountOf(call)
  // Do not validate the number: credits from before the rule for numbers must be found too.
  const [, named = ''] = call.positionals
  return withGateway(call, async (gateway) => {
    // The reversal of a correction adds money.
    const account = await confirmLarge(call, accountId, (query) =>
      gateway.call('POST /operate/accounts/{id}/reverse', {
        id: accountId,
        query,
        body: { credit: named },
        ifLost: 'It is not known whether the command took effect; it is safe to repeat it.',
      }),
    )
      .catch(missing(accountId, named))
      .catch(explain(accountId, named))
    const amount = dollarText(-BigInt(account.movedNano))
    return report(
      call,
      account,
      account.movedNano === '0'
        ? `the credit "${named}" is already reversed; nothing changed in ${accountId}`
        : `the credit "${named}" of ${amount} is reversed in ${accountId}`,
    )
  })
}

function report({ context }: CommandCall, account: MoneyMoved, done: string): number {
  const available = dollarText(BigInt(account.availableNano))
  context.stdout(`${done}; ${available} available\n`)
  return 0
}

function explain(accountId: string, named = ''): (error: unknown) => never {
  return rewordRefusal({
    not_found: noAccount(accountId),
    reversal_final: `"${named}" is a reversal itself; add a new credit instead.`,
    credit_short: (values) => shortage(accountId, values),
  })
}

/** If the account exists, the credit is what is missing. */
function missing(accountId: string, named: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayRefusal) || error.field !== 'credit') throw error
    if (error.code !== 'not_found') throw error
    const sentence = `The account "${accountId}" has no credit "${named}"; see "tollgate audit --account ${accountId}".`
    const { requestId } = error
    throw new GatewayRefusal(sentence, { code: 'credit_missing', requestId })
  }
}

function shortage(accountId: string, values: ProblemValues): string {
  const amountOf = (name: string) => values[name] ?? ''
  return `The account "${accountId}" has ${amountOf('available')} available and ${amountOf('leased')} reserved for requests, so ${amountOf('wanted')} cannot be deducted; "tollgate accounts correct" can deduct a smaller amount.`
}
