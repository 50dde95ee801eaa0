import { exportFormats } from '../../core/text/export-format.ts'
import { enumKind } from '../../fields/kind.ts'
import { idKind, knownEmailKind } from '../../fields/kinds.ts'
import type { Command, CommandCall } from '../command.ts'
import { type GatewayClient, rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { userIdOf } from '../members-of.ts'
import { noAccount } from '../not-found.ts'
import { readOption } from '../read-typed.ts'
import { UsageProblem } from '../usage-problem.ts'
import { readTimes, timeOptions, writeExport } from '../write-export.ts'

const formatKind = enumKind(exportFormats)
const format = {
  kind: 'text',
  placeholder: exportFormats.join('|'),
  description: 'CSV, or one JSON object per line. Default: csv.',
} as const

const filter = (placeholder: string, description: string) =>
  ({ kind: 'text', placeholder, description }) as const

export const usageExport: Command = {
  name: 'usage export',
  summary: 'Print the request log, newest first.',
  example: '--account acme --from 2027-01-01 > usage.csv',
  positionals: [],
  options: {
    account: filter('ID', 'Only requests of this account.'),
    key: filter('ID', 'Only requests of this key.'),
    member: filter(
      'EMAIL',
      'Only requests of the keys of this member, who may have left; for a deleted user the id. Needs --account.',
    ),
    model: filter('ID', 'Only requests for this model.'),
    status: filter('STATUS', 'Only this HTTP status, or ok, or error.'),
    ...timeOptions,
    format,
  },
  run: (call) => {
    const account = readOption(call, 'account', idKind)
    const member = readOption(call, 'member', isId(call.text('member')) ? idKind : knownEmailKind)
    if (member !== undefined && account === undefined)
      throw new UsageProblem('--member needs --account.')
    const query = {
      account,
      key: call.text('key'),
      model: call.text('model'),
      status: call.text('status'),
      ...readCommon(call),
    }
    return withGateway(call, async (gateway) => {
      const explain = rewordRefusal({
        not_found: noAccount(account ?? ''),
        status_wrong: '--status must be an HTTP status, error or ok.',
      })
      const user =
        account === undefined || member === undefined
          ? undefined
          : await keyOwnerOf(gateway, account, member)
      const asked = { query: { ...query, user }, isLong: true } as const
      const text = await gateway.text('GET /usage/export', asked).catch(explain)
      return writeExport(call, text)
    })
  },
}

/** An email contains an @, and no id does. */
const isId = (text: string | undefined) => text !== undefined && !text.includes('@')

/** The id of the user with this email or id: of one who has keys in the account, also after leaving, or of another member. */
async function keyOwnerOf(gateway: GatewayClient, account: string, name: string): Promise<string> {
  const { users } = await gateway
    .call('GET /usage/facets', { query: { account } })
    .catch(rewordRefusal({ not_found: noAccount(account) }))
  const owner = users.find((user) => user.email === name || user.id === name)
  return owner?.id ?? userIdOf(gateway, account, name)
}

export const auditLogExport: Command = {
  name: 'audit-log export',
  summary: 'Print who changed what, newest first.',
  example: '--action key. --format ndjson > changes.jsonl',
  positionals: [],
  options: {
    actor: filter('ID', 'Only changes by this user or token, or by cli or config.'),
    action: filter(
      'ACTION',
      'Only this action, or actions that begin with this text, such as "key.".',
    ),
    subject: filter('ID', 'Only changes of this object.'),
    ...timeOptions,
    format,
  },
  run: (call) => {
    const query = {
      actor: call.text('actor'),
      action: call.text('action'),
      subject: call.text('subject'),
      ...readCommon(call),
    }
    return withGateway(call, async (gateway) =>
      writeExport(call, await gateway.text('GET /operate/audit/export', { query, isLong: true })),
    )
  },
}

function readCommon(call: CommandCall) {
  return { ...readTimes(call), format: readOption(call, 'format', formatKind) }
}
