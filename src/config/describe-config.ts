import { formatDollars } from '../core/money.ts'
import { alignColumns } from './align-columns.ts'
import type { Config } from './config.ts'
import { masked, maskKey } from './mask.ts'
import type { Provision } from './provision.ts'

/** What is in force and where each part comes from, for a person to read; nothing secret is in it. */
export function describeConfig(config: Config): string {
  const file = config.file === undefined ? 'no config file' : `config file ${config.file.path}`
  const lines = [
    `# ${file}`,
    ...alignColumns(
      config.inForce.map(({ name, text, source }) => [`${name}:`, text, `# ${source}`]),
    ),
    ...credentialLines(config),
    ...provisionLines(config.provision),
  ]
  return `${lines.join('\n')}\n`
}

function credentialLines({ environmentCredentials }: Config): string[] {
  const names = Object.keys(environmentCredentials)
  if (names.length === 0) return []
  return ['', '# upstreams from the environment', ...names.map((name) => `${name}: ${masked}`)]
}

function provisionLines(provision: Provision): string[] {
  const { groups, models, upstreams, accounts, users, keys } = provision
  const rows = [
    ...groups.map(({ id, where }) => ['group', id, '', where]),
    ...models.map(({ id, price, where }) => ['model', id, price ? 'priced' : 'no price', where]),
    ...upstreams.map(({ id, vendor, baseUrl, credential, where }) => [
      'upstream',
      id,
      `${vendor} at ${baseUrl}, ${credential === undefined ? 'no credential' : `credential ${masked}`}`,
      where,
    ]),
    ...accounts.map(({ id, creditNano, where }) => [
      'account',
      id,
      creditNano === undefined ? '' : `credit ${formatDollars(creditNano)} US$`,
      where,
    ]),
    ...users.map(({ email, role, password, where }) => [
      'user',
      email,
      `${role}, ${password === undefined ? 'no password given' : `password ${masked}`}`,
      where,
    ]),
    ...keys.map(({ id, account, value, where }) => [
      'key',
      id,
      `of ${account}, value ${value === undefined ? 'made on creation' : maskKey(value)}`,
      where,
    ]),
  ]
  if (rows.length === 0) return []
  const named = rows.map(([kind = '', id = '', detail = '', where = '']) => [
    `- ${kind}`,
    id,
    detail,
    `# ${where}`,
  ])
  return ['', 'provision:', ...alignColumns(named)]
}
