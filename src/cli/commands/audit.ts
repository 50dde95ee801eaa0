import type { LedgerStatement } from '../../console-api/contract.ts'
import { enumKind } from '../../fields/kind.ts'
import { idKind, instantKind } from '../../fields/kinds.ts'
import type { Statement } from '../../ledger/audit/statement.ts'
import type { Command, CommandCall } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { readOption } from '../read-typed.ts'
import { auditAsJson, auditAsText } from '../render-audit.ts'
import { groupings, statementAsJson, statementAsText } from '../render-statement.ts'
import { UsageProblem } from '../usage-problem.ts'

const groupingKind = enumKind(groupings)

export const audit: Command = {
  name: 'audit',
  summary: 'Check that every charge is accounted for, or print the statement of an account.',
  example: '--account acme --from 2027-01-01',
  positionals: [],
  options: {
    account: {
      kind: 'text',
      placeholder: 'ID',
      description: 'Print the statement of this account.',
    },
    from: {
      kind: 'text',
      placeholder: 'TIME',
      description: 'Start of the statement, such as 2027-01-01. Default: the start of the account.',
    },
    to: {
      kind: 'text',
      placeholder: 'TIME',
      description: 'End of the statement, exclusive. Default: now.',
    },
    by: {
      kind: 'text',
      placeholder: groupings.join('|'),
      description: 'How spending is grouped. Default: day.',
    },
    release: {
      kind: 'text',
      placeholder: 'ID',
      description: 'Grant leases again to an account that the self-audit has stopped.',
    },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: async (call) => {
    const accountId = readOption(call, 'account', idKind)
    const releaseId = readOption(call, 'release', idKind)
    if (releaseId !== undefined) {
      if (accountId !== undefined)
        throw new UsageProblem(
          '--release and --account cannot be used together; leave one of them out.',
        )
      return release(call, releaseId)
    }
    if (accountId !== undefined) return printStatement(call, accountId)
    for (const option of ['from', 'to', 'by']) {
      if (call.text(option) !== undefined) throw new UsageProblem(`--${option} needs --account.`)
    }
    return checkAll(call)
  },
}

async function checkAll(call: CommandCall): Promise<number> {
  return withGateway(call, async (gateway) => {
    const checked = await gateway.call('POST /operate/check-ledger', {
      isLong: true,
      ifLost: 'Nothing was changed, so it is safe to repeat the command.',
    })
    call.context.stdout(`${call.isOn('json') ? auditAsJson(checked) : auditAsText(checked)}\n`)
    return checked.isInOrder ? 0 : 1
  })
}

async function printStatement(call: CommandCall, accountId: string): Promise<number> {
  const fromMs = readOption(call, 'from', instantKind)
  const toMs = readOption(call, 'to', instantKind)
  const by = readOption(call, 'by', groupingKind) ?? 'day'
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    throw new UsageProblem('--from must be before --to.')
  }
  return withGateway(call, async (gateway) => {
    const answer = await gateway
      .call('GET /operate/accounts/{id}/statement', {
        id: accountId,
        query: { from: momentOf(fromMs), to: momentOf(toMs) },
        isLong: true,
      })
      .catch(
        rewordRefusal({
          not_found: `There is no account "${accountId}"; see "tollgate accounts list".`,
        }),
      )
    const statement = statementOf(answer)
    const asText = call.isOn('json') ? statementAsJson : statementAsText
    call.context.stdout(`${asText(statement, { fromMs, toMs }, by)}\n`)
    return statement.differenceNano === 0n ? 0 : 1
  })
}

function momentOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : String(Math.max(0, ms))
}

function statementOf(answer: LedgerStatement): Statement {
  return {
    accountId: answer.accountId,
    openingNano: BigInt(answer.openingNano),
    credits: answer.credits.map(({ at, amountNano, ...credit }) => ({
      ...credit,
      atMs: at,
      amountNano: BigInt(amountNano),
    })),
    spending: answer.spending.map(({ costNano, ...line }) => ({
      ...line,
      costNano: BigInt(costNano),
    })),
    closingNano: BigInt(answer.closingNano),
    sinceNano: BigInt(answer.sinceNano),
    availableNano: BigInt(answer.availableNano),
    leasedNano: BigInt(answer.leasedNano),
    differenceNano: BigInt(answer.differenceNano),
  }
}

async function release(call: CommandCall, accountId: string): Promise<number> {
  const notStopped = `The self-audit has not stopped an account "${accountId}".`
  return withGateway(call, async (gateway) => {
    await gateway
      .call('POST /operate/accounts/{id}/release', {
        id: accountId,
        ifLost: 'It is not known whether the command took effect; it is safe to repeat it.',
      })
      .catch(rewordRefusal({ not_found: notStopped, account_not_stopped: notStopped }))
    call.context.stdout(
      `account ${accountId} gets leases again; the self-audit stops it again if it finds a new difference\n`,
    )
    return 0
  })
}
