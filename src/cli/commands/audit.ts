import { wordKind } from '../../fields/kind.ts'
import { idKind, instantKind } from '../../fields/kinds.ts'
import { auditLedger } from '../../ledger/audit-ledger.ts'
import { listStops, releaseStop } from '../../ledger/audit-stops.ts'
import { countLeftovers } from '../../ledger/leftovers.ts'
import { readStatement } from '../../ledger/statement.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { journalPath } from '../../serve/make-journal-folder.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { usageFloorMs } from '../../usage/usage-floor.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { readOption } from '../read-typed.ts'
import { type AuditResult, auditAsJson, auditAsText, isInOrder } from '../render-audit.ts'
import { groupings, statementAsJson, statementAsText } from '../render-statement.ts'
import { UsageProblem } from '../usage-problem.ts'
import { withDatabase } from '../with-database.ts'

const groupingKind = wordKind(groupings)

export const audit: Command = {
  name: 'audit',
  summary: 'Check that every nano is explained, or print the statement of an account.',
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
      description: 'Where the statement begins, as in 2027-01-01. Default: with the account.',
    },
    to: {
      kind: 'text',
      placeholder: 'TIME',
      description: 'Where it ends, that moment not included. Default: now.',
    },
    by: {
      kind: 'text',
      placeholder: groupings.join('|'),
      description: 'What spending is told by. Default: day.',
    },
    release: {
      kind: 'text',
      placeholder: 'ID',
      description: 'Let an account have leases again that the self-audit has stopped.',
    },
    json: { kind: 'switch', description: 'As JSON.' },
  },
  run: async (call) => {
    const accountId = readOption(call, 'account', idKind)
    const releaseId = readOption(call, 'release', idKind)
    if (releaseId !== undefined) {
      if (accountId !== undefined)
        throw new UsageProblem('--release and --account do not go together.')
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
  return withDatabase(call, async ({ engine }) => {
    const result: AuditResult = {
      checks: await auditLedger(engine, await usageFloorMs(engine)),
      stops: await listStops(engine),
      ...countLeftovers(journalPath(call.config)),
    }
    call.world.stdout(`${call.isOn('json') ? auditAsJson(result) : auditAsText(result)}\n`)
    return isInOrder(result) ? 0 : 1
  })
}

async function printStatement(call: CommandCall, accountId: string): Promise<number> {
  const fromMs = readOption(call, 'from', instantKind)
  const toMs = readOption(call, 'to', instantKind)
  const by = readOption(call, 'by', groupingKind) ?? 'day'
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    throw new UsageProblem('--from must be before --to.')
  }
  return withDatabase(call, async ({ engine }) => {
    const period = { fromMs, toMs }
    const statement = await readStatement(engine, accountId, period, call.world.nowMs())
    if (!statement) {
      throw new CommandProblem(`There is no account "${accountId}"; see "tollgate accounts list".`)
    }
    const asText = call.isOn('json') ? statementAsJson : statementAsText
    call.world.stdout(`${asText(statement, period, by)}\n`)
    return statement.differenceNano === 0n ? 0 : 1
  })
}

async function release(call: CommandCall, accountId: string): Promise<number> {
  const at = call.world.nowMs()
  return withDatabase(call, async ({ engine }) => {
    const stop = (await listStops(engine)).find((each) => each.accountId === accountId)
    const isReleased = await write(engine, at, async (writing) => {
      if (!(await releaseStop(writing, accountId, at))) return false
      const before = { findings: stop?.findings }
      const action = 'account.released'
      await recordAudit(writing, { at, actor: cliActor, action, subject: accountId, before })
      return true
    })
    if (!isReleased)
      throw new CommandProblem(`The self-audit has not stopped an account "${accountId}".`)
    call.world.stdout(
      `account ${accountId} gets leases again; it is stopped again when something new is found\n`,
    )
    return 0
  })
}
