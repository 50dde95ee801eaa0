import { limitFallbacks } from '../core/limits/rate-limit.ts'
import { durabilities } from '../core/runtime/durability.ts'
import { logLevels } from '../core/telemetry/log-level.ts'
import { metricsOwners } from '../core/telemetry/metrics-owners.ts'
import { accessLogSettings } from './access-log-settings.ts'
import { maskUrl } from './mask.ts'
import { openIdSettings } from './open-id-settings.ts'
import { otlpSettings } from './otlp-settings.ts'
import { recordingSettings } from './recording-settings.ts'
import { nameSettings, ownPrefix, type SettingValues, setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'
import { smtpSettings } from './smtp-settings.ts'

/**
 * All settings, in the order in which people should read them. The members of the file, the variables, the flags with
 * their help, `tollgate config` and the members of the configuration are derived from this list.
 */
const defined = {
  listen: setting(kinds.listenSetting, {
    byDefault: '127.0.0.1:8080',
    about: 'Address to listen on; :8080 means every interface, port 0 lets the system choose.',
  }),
  publicUrl: setting(kinds.publicUrlSetting, {
    about:
      'URL under which people reach the gateway, such as https://models.example.com behind a proxy. Sign-in links and invitations use it.',
  }),
  database: setting(kinds.databaseSetting, {
    byDefault: 'sqlite://data/tollgate.db',
    mask: maskUrl,
    about: 'sqlite:// with a path, or a postgres:// URL. The default file is in the data folder.',
  }),
  readDatabase: setting(kinds.readDatabaseSetting, {
    mask: maskUrl,
    about:
      'A standby of the database, as a postgres:// URL. The console and the admin API read the request log and its sums there while the standby keeps up.',
  }),
  data: setting(kinds.folderSetting, {
    byDefault: 'data',
    about:
      'Folder for the generated secret, the request journal and, by default, the embedded database. It must survive restarts, also with Postgres.',
  }),
  brand: setting(kinds.brandSetting, {
    byDefault: 'gateway',
    about: 'The word in the gateway’s response headers, such as x-gateway-request-id.',
  }),
  trustedProxies: setting(kinds.networksSetting, {
    byDefault: '',
    about: 'Addresses or networks whose X-Forwarded-For is trusted.',
  }),
  webOrigins: setting(kinds.originsSetting, {
    byDefault: '',
    about: 'Origins of web pages that may call the model endpoints from a browser; * means all.',
  }),
  secret: setting(kinds.secretSetting, {
    isSecret: true,
    about: `Protects keys and credentials in the database, ${kinds.secretCharactersMin} characters or more. If not set, it is generated once in the data folder. Other users of the machine can see flags, so prefer the variable.`,
  }),
  formerSecret: setting(kinds.secretSetting, {
    isSecret: true,
    about:
      'The secret before this one, while "tollgate secret rotate" is not complete: the gateway accepts both.',
  }),
  secretRefreshSeconds: setting(kinds.secondsSetting(86_400), {
    member: 'secretRefreshMs',
    byDefault: '300',
    about:
      'How often the programs of exec: references run again while the gateway runs; 0: only after SIGHUP, or when an upstream rejects the credential.',
  }),
  replica: setting(kinds.replicaSetting, {
    about:
      'Name of this process among several on one database; it must stay the same after a restart.',
  }),
  workers: setting(kinds.workersSetting, {
    byDefault: '1',
    about:
      'Processes that serve together on one port, each as a replica of its own: a number, or auto for one per core. Linux only.',
  }),
  logLevel: setting(kinds.enumSetting('LEVEL', logLevels), {
    byDefault: 'info',
    about: 'debug, info, warn or error.',
  }),
  ...accessLogSettings,
  demo: setting(kinds.enumSetting('MODE', ['auto', 'on', 'off']), {
    byDefault: 'auto',
    about:
      'The built-in demo upstream: on, off, or auto, which enables it while there is no other upstream. on, or the flag without a value, also adds a month of sample usage.',
  }),
  bodyBytesMax: setting(kinds.sizeSetting({ least: '1KiB', most: '1GiB', such: '32MiB' }), {
    byDefault: '32MiB',
    about: 'Maximum size of a request body, such as 32MiB or a number of bytes.',
  }),
  limits: setting(kinds.limitsSetting, {
    mask: maskUrl,
    about:
      'Redis or Valkey server that counts rate limits for all replicas, as a redis:// or rediss:// URL. Without it, replicas share the limits through the database, within 10 %.',
  }),
  limitsFallback: setting(kinds.enumSetting('MODE', limitFallbacks), {
    byDefault: 'local',
    about:
      'While the server of limits cannot be reached: local, each replica applies its own share of the limits; refuse, requests with rate limits get 503.',
  }),
  rateLimitCachedInput: setting(kinds.enumSetting('MODE', ['count', 'ignore']), {
    byDefault: 'count',
    about: 'Whether input that an upstream had cached counts towards tokens per minute.',
  }),
  queueSeconds: setting(kinds.secondsSetting(60), {
    member: 'queueMs',
    byDefault: '0',
    about:
      'How long a request may wait for an upstream while all its upstreams have reached their concurrency; 0: it is refused at once.',
  }),
  queueLengthMax: setting(kinds.countSetting(1), {
    byDefault: '1000',
    about:
      'Requests of this process that may wait for upstreams at the same time; others are refused at once. One account gets at most a quarter.',
  }),
  drainSeconds: setting(kinds.secondsSetting(3600), {
    member: 'drainMs',
    byDefault: '30',
    about: 'How long running requests may continue after the signal to stop.',
  }),
  lameDuckSeconds: setting(kinds.secondsSetting(600), {
    member: 'lameDuckMs',
    byDefault: '5',
    about:
      'After SIGTERM: how long /readyz returns 503 while the gateway still accepts requests, so that load balancers notice; then drainSeconds begins.',
  }),
  responseRetentionDays: setting(kinds.daysSetting(3650), {
    member: 'responseRetentionMs',
    byDefault: '30',
    about:
      'How long clients can refer to a response with previous_response_id; 0 stores no responses.',
  }),
  usageRetentionDays: setting(kinds.daysSetting(36_500), {
    member: 'usageRetentionMs',
    byDefault: '0',
    about:
      'How long the request log keeps its rows; 0 keeps them forever. Ledger entries and hourly sums always stay.',
  }),
  ...recordingSettings,
  durability: setting(kinds.enumSetting('MODE', durabilities), {
    byDefault: 'journal',
    about:
      'What the last byte of a response waits for: journal, until the charge survives a crash of the process; fsync, until it survives a loss of power; database, until the database has it.',
  }),
  journalBytesMax: setting(kinds.sizeSetting({ least: '16MiB', such: '1GiB' }), {
    byDefault: '1GiB',
    about:
      'How much data may wait on disk while the database does not respond; beyond that, no new requests are admitted.',
  }),
  privateMedia: setting(kinds.switchSetting, {
    member: 'isPrivateMediaAllowed',
    byDefault: 'off',
    about:
      'The gateway fetches images and files by URL for upstreams that cannot: on also from private networks, off only from public addresses.',
  }),
  mediaBytesMax: setting(kinds.sizeSetting({ least: '1MiB', most: '64GiB', such: '256MiB' }), {
    byDefault: '256MiB',
    about:
      'Memory for images and files that the gateway fetches for upstreams, across all requests; beyond that, requests get 503.',
  }),
  upstreamsForMembers: setting(kinds.switchSetting, {
    member: 'showsUpstreamsToMembers',
    byDefault: 'off',
    about:
      'Whether members of an account see in the console which upstreams served their requests, and the request ids of the upstreams: on or off. Administrators always see both.',
  }),
  metricsListen: setting(kinds.listenSetting, {
    about:
      'Address that serves /metrics instead of listen, for a network that only operators can reach.',
  }),
  metricsToken: setting(kinds.tokenSetting, {
    isSecret: true,
    about: `Token that /metrics requires as "Authorization: Bearer", ${kinds.tokenCharactersMin} characters or more. Without metricsListen and metricsToken, /metrics is served only if listen is a loopback address.`,
  }),
  metricsOwners: setting(kinds.enumSetting('MODE', metricsOwners), {
    byDefault: 'off',
    about:
      'Whether /metrics also counts requests, tokens and cost for each account, or for each key; at most 1000 of them, the rest as other.',
  }),
  ...otlpSettings,
  bodiesInFlightBytesMax: setting(kinds.sizeSetting({ least: '1MiB', such: '256MiB' }), {
    byDefault: '256MiB',
    about:
      'Memory for request bodies in this process, from the first byte of a body until the end of its response; beyond that, 503 with Retry-After. One account gets at most half.',
  }),
  connectionsPerAddressMax: setting(kinds.countOrAutoSetting, {
    byDefault: 'auto',
    about:
      'Open connections per client address; newer ones are closed. auto is 1024 and exempts loopback addresses; 0 means no limit. Trusted proxies are always exempt. Linux only.',
  }),
  connectionsMax: setting(kinds.countSetting(16), {
    byDefault: '16384',
    about:
      'Open connections of this process; beyond that, the newest of the address with the most are closed. Limited to nine tenths of the open files that the system allows. Linux only.',
  }),
  privateWebhooks: setting(kinds.switchSetting, {
    member: 'isPrivateWebhookAllowed',
    byDefault: 'off',
    about:
      'Whether alerts may be sent to webhooks in private networks: on, or off for public addresses only.',
  }),
  ...smtpSettings,
  confirmGrantsFrom: setting(kinds.countSetting(1), {
    byDefault: '10000',
    about:
      'US dollars; a grant of this much or more needs confirmation: --yes in a script, confirm=true in the admin API.',
  }),
  ...openIdSettings,
}

export const settings = nameSettings(defined)
/** The values of the settings in the configuration. */
export type Configured = SettingValues<typeof defined>

/** The path of the file; it cannot be in the file itself. */
export const configFileSetting = {
  variable: `${ownPrefix}CONFIG`,
  flag: 'config',
  placeholder: 'FILE',
  byDefault: 'tollgate.yaml',
  about: 'The config file. The default file may be missing.',
} as const

/** The section of the file with the objects that should exist in the database. */
export const provisionName = 'provision'
