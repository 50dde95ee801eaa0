import type { z } from 'zod'
import { type TokenSettings, tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { alignColumns } from '../../config/align-columns.ts'
import { adminScopes } from '../../core/access/admin-scope.ts'
import { toWire } from '../../fields/definition.ts'
import { findProblem } from '../../fields/find-problem.ts'
import { idKind } from '../../fields/kinds.ts'
import { problemText } from '../../fields/problems.ts'
import type { Command, CommandCall } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'
import { UsageProblem } from '../usage-problem.ts'

// An account may be called "none", so that word cannot mean the whole gateway here.
const { name, scopes, expiresAt, addresses } = tokenDefinition.fields

export const tokensCreate: Command = {
  name: 'tokens create',
  summary: 'Create a token for the admin API and show its value once.',
  example: '--name ci --scope keys --scope read --account acme --expires 2027-12-31',
  positionals: [],
  options: {
    name: { kind: 'text', placeholder: 'TEXT', description: `${name.about} Required.` },
    scope: {
      kind: 'list',
      placeholder: 'SCOPE',
      description: `One of ${adminScopes.join(', ')}. Required.`,
    },
    account: {
      kind: 'text',
      placeholder: 'ID',
      description: 'The account that the token is for. Default: the whole gateway.',
    },
    expires: {
      kind: 'text',
      placeholder: 'TIME',
      description: 'When the token expires, such as 2027-01-01. Default: never.',
    },
    address: {
      kind: 'list',
      placeholder: 'RANGE',
      description: 'Address or network from which the token may be used. Default: any.',
    },
  },
  run: async (call) => {
    const settings = readSettings(call)
    const { accountId } = settings
    return withGateway(call, async (gateway) => {
      const { token, value } = await gateway
        .call('POST /tokens', {
          body: toWire(tokenDefinition, settings),
          ifLost:
            'It is not known whether the token was created; check with "tollgate tokens list" and revoke the unused token before you repeat the command.',
        })
        .catch(
          rewordRefusal({
            expiry_past: '--expires must be in the future.',
            account_unknown: noAccount(accountId ?? ''),
            tokens_many: ({ max }) =>
              `There are ${max} tokens of this kind already; revoke some with "tollgate tokens revoke ID".`,
          }),
        )
      const columns = [
        ['id', token.id],
        ['value', value],
      ]
      call.context.stdout(`${alignColumns(columns).join('\n')}\n`)
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
  const words = problemText(found.problem, found.values)
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
