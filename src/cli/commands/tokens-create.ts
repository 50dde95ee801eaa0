import type { z } from 'zod'
import { auditedToken } from '../../admin-tokens/audited-token.ts'
import { TokenNotMade, type TokenProblem } from '../../admin-tokens/limit-wish.ts'
import { type TokenSettings, tokenDefinition } from '../../admin-tokens/token-definition.ts'
import { createToken, liveTokensMax } from '../../admin-tokens/token-store.ts'
import { alignColumns } from '../../config/align-columns.ts'
import { adminScopes } from '../../core/admin-scope.ts'
import { findProblem } from '../../fields/find-problem.ts'
import { idKind } from '../../fields/kinds.ts'
import { fillWords, problemWords } from '../../fields/problems.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { UsageProblem } from '../usage-problem.ts'
import { withDatabase } from '../with-database.ts'

// An account may be called "none", so that word does not stand for the whole gateway here.
const { name, scopes, expiresAt, addresses } = tokenDefinition.fields

export const tokensCreate: Command = {
  name: 'tokens create',
  summary: 'Make a token for the admin API and show its value, once.',
  positionals: [],
  options: {
    name: { kind: 'text', placeholder: 'TEXT', description: `${name.about} Required.` },
    scope: {
      kind: 'list',
      placeholder: 'SCOPE',
      description: `One of ${adminScopes.join(', ')}; may be repeated. Required.`,
    },
    account: {
      kind: 'text',
      placeholder: 'ID',
      description: 'The account that it is for; not given: the whole gateway.',
    },
    expires: {
      kind: 'text',
      placeholder: 'TIME',
      description: 'When it expires, as in 2027-01-01; not given: never.',
    },
    address: {
      kind: 'list',
      placeholder: 'RANGE',
      description: 'Address or network it may be used from; none given: any.',
    },
  },
  run: async (call) => {
    const settings = readSettings(call)
    return withDatabase(call, async ({ engine, vault }) => {
      const nowMs = call.world.nowMs()
      const tools = { vault, random: call.world.random, nowMs }
      const made = await write(engine, nowMs, async (writing) => {
        const maker = { kind: 'command-line', actor: cliActor } as const
        const { token, value } = await createToken(writing, tools, settings, maker)
        const change = { action: 'token.created', subject: token.id, after: auditedToken(token) }
        await recordAudit(writing, { at: nowMs, actor: cliActor, ...change })
        return { id: token.id, value }
      }).catch((error: unknown) => {
        throw error instanceof TokenNotMade ? explain(error, settings) : error
      })
      const columns = [
        ['id', made.id],
        ['value', made.value],
      ]
      call.world.stdout(`${alignColumns(columns).join('\n')}\n`)
      return 0
    })
  },
}

function readSettings(call: CommandCall): TokenSettings {
  return {
    name: read(name.kind.written, 'name', needed('name', call.text('name'))),
    scopes: read(scopes.kind.written, 'scope', needed('scope', call.list('scope'))),
    accountId: ifGiven(call.text('account'), (given) => read(idKind.written, 'account', given)),
    expiresAt: ifGiven(call.text('expires'), (given) =>
      read(expiresAt.kind.written, 'expires', given),
    ),
    addresses: ifGiven(call.list('address'), (given) =>
      read(addresses.kind.written, 'address', given),
    ),
  }
}

function needed<Given>(option: string, given: Given | undefined): Given {
  if (given !== undefined) return given
  throw new UsageProblem(`"tollgate tokens create" needs --${option}; see --help.`)
}

function read<Value>(schema: z.ZodType<Value>, option: string, given: unknown): Value {
  const found = findProblem(schema, given)
  if (!found) return schema.parse(given)
  const words = fillWords(problemWords[found.problem], found.values)
  const [place] = found.path
  const wrong = isList(given) && typeof place === 'number' ? given[place] : given
  throw new UsageProblem(`--${option} ${words}, not ${JSON.stringify(wrong)}.`)
}

function ifGiven<Given, Value>(
  given: Given | undefined,
  read: (given: Given) => Value,
): Value | null {
  return given === undefined ? null : read(given)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function explain({ problem }: TokenNotMade, { accountId }: TokenSettings): Error {
  const words: Partial<Record<TokenProblem, string>> = {
    expiry_past: '--expires must be in the future.',
    account_unknown: `There is no account "${accountId}"; make it with "tollgate accounts create ${accountId}".`,
    tokens_many: `There are ${liveTokensMax} tokens of this kind already; revoke some with "tollgate tokens revoke ID".`,
  }
  return new CommandProblem(words[problem] ?? `The token was not made: ${problem}.`)
}
