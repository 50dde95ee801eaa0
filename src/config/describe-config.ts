import { dollarText } from '../core/money/money.ts'
import { masked } from '../core/text/secret-hint.ts'
import { alignColumns } from './align-columns.ts'
import type { Config } from './config.ts'
import { maskKey, maskProxy } from './mask.ts'
import type { Provision, ProvisionGroup, ProvisionUpstream } from './provision.ts'

/** The effective settings and their sources, for display; contains no secrets. */
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
    ...groups.map((each) => ['group', each.id, describeGroup(each), each.where]),
    ...models.map(({ id, price, where }) => ['model', id, price ? 'priced' : 'no price', where]),
    ...upstreams.map((each) => ['upstream', each.id, describeUpstream(each), each.where]),
    ...accounts.map(({ id, creditNano, where }) => [
      'account',
      id,
      creditNano === undefined ? '' : `credit ${dollarText(creditNano)}`,
      where,
    ]),
    ...users.map(({ email, role, password, where }) => [
      'user',
      email,
      `${role}, ${password === undefined ? 'no password given' : `password ${masked}`}`,
      where,
    ]),
    ...keys.map(({ id, accountId, value, where }) => [
      'key',
      id,
      `of ${accountId}, value ${value === undefined ? 'generated on creation' : maskKey(value)}`,
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

function describeGroup({ grants }: ProvisionGroup): string {
  if (grants === undefined) return ''
  if (grants === null) return 'for every account'
  return `for ${grants.map(({ accountId }) => accountId).join(', ') || 'no account'}`
}

function describeUpstream(upstream: ProvisionUpstream): string {
  const { vendor, baseUrl, credentials, proxy, isEnabled } = upstream
  return [
    `${vendor} at ${baseUrl}`,
    describeCredentials(credentials),
    ...(typeof proxy === 'string' ? [`proxy ${maskProxy(proxy)}`] : []),
    ...(isEnabled === false ? ['switched off'] : []),
  ].join(', ')
}

function describeCredentials(credentials: ProvisionUpstream['credentials']): string {
  if (credentials === undefined || credentials.length === 0) return 'no credential'
  if (credentials.length === 1) return `credential ${masked}`
  return `credentials ${credentials.map(({ name }) => `${name} ${masked}`).join(', ')}`
}
