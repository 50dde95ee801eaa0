import { logLevels } from '../core/log-level.ts'
import { maskUrl } from './mask.ts'
import { openIdSettings } from './open-id-settings.ts'
import { nameSettings, ownPrefix, type SettingValues, setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

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
      'Where people reach the gateway, such as https://models.example.com behind a proxy; used in the links that are printed.',
  }),
  database: setting(kinds.databaseSetting, {
    byDefault: 'sqlite://data/tollgate.db',
    mask: maskUrl,
    about:
      'sqlite:// with a path (by default tollgate.db in the data folder), or a postgres:// url.',
  }),
  data: setting(kinds.folderSetting, {
    byDefault: 'data',
    about:
      'Folder of the generated secret, the journal of requests and, by default, the embedded database; it must survive restarts, with Postgres too.',
  }),
  brand: setting(kinds.brandSetting, {
    byDefault: 'gateway',
    about: 'The word in the response header x-gateway-request-id.',
  }),
  trustedProxies: setting(kinds.networksSetting, {
    byDefault: '',
    about: 'Addresses or networks whose X-Forwarded-For is believed.',
  }),
  webOrigins: setting(kinds.originsSetting, {
    byDefault: '',
    about: 'Origins of web pages that may call the model endpoints from a browser; * lets all.',
  }),
  secret: setting(kinds.secretSetting, {
    isSecret: true,
    about: `Protects keys and credentials in the database, ${kinds.secretCharactersMin} characters or more; absent: made once, in the data folder. A flag is visible to other users of the machine: prefer the variable.`,
  }),
  replica: setting(kinds.replicaSetting, {
    about: 'Name of this process among several on one database, the same after a restart.',
  }),
  logLevel: setting(kinds.wordSetting('LEVEL', logLevels), {
    byDefault: 'info',
    about: 'debug, info, warn or error.',
  }),
  demo: setting(kinds.wordSetting('MODE', ['auto', 'on', 'off']), {
    byDefault: 'auto',
    about:
      'The built-in demo upstream: on, off, or auto, which is on while there is no other. Asked for with on, or the flag alone, it comes with a month of usage.',
  }),
  bodyBytesMax: setting(kinds.sizeSetting({ least: '1KiB', most: '1GiB', such: '32MiB' }), {
    byDefault: '32MiB',
    about: 'Largest request body that is accepted, such as 32MiB or a number of bytes.',
  }),
  rateLimitCachedInput: setting(kinds.wordSetting('MODE', ['count', 'ignore']), {
    byDefault: 'count',
    about: 'Whether input that an upstream had cached counts towards tokens per minute.',
  }),
  drainSeconds: setting(kinds.secondsSetting(3600), {
    member: 'drainMs',
    byDefault: '30',
    about: 'How long requests in flight may go on after the order to stop.',
  }),
  lameDuckSeconds: setting(kinds.secondsSetting(600), {
    member: 'lameDuckMs',
    byDefault: '5',
    about:
      'After SIGTERM or SIGHUP: how long /readyz is 503 while requests are still taken, so that load balancers notice; then drainSeconds begins.',
  }),
  responseRetentionDays: setting(kinds.daysSetting(3650), {
    member: 'responseRetentionMs',
    byDefault: '30',
    about: 'How long a response can be referred to by previous_response_id; 0 keeps none at all.',
  }),
  usageRetentionDays: setting(kinds.daysSetting(36_500), {
    member: 'usageRetentionMs',
    byDefault: '0',
    about:
      'How long the usage log keeps its rows; 0 keeps them for ever. Entries and hourly sums always stay.',
  }),
  durability: setting(kinds.wordSetting('MODE', ['journal', 'fsync', 'database']), {
    byDefault: 'journal',
    about:
      'What an answer waits for before its last byte leaves: journal, that its charge survives the death of the process; fsync, that it survives a loss of power; database, that the database has it.',
  }),
  journalBytesMax: setting(kinds.sizeSetting({ least: '16MiB', such: '1GiB' }), {
    byDefault: '1GiB',
    about:
      'How much may wait on the disk for a database that does not answer; past it nothing new is admitted.',
  }),
  privateMedia: setting(kinds.switchSetting, {
    member: 'isPrivateMediaAllowed',
    byDefault: 'off',
    about:
      'Images and files behind an address are fetched for upstreams that do not fetch: on also from private networks, off only from public addresses.',
  }),
  mediaBytesMax: setting(kinds.sizeSetting({ least: '1MiB', most: '64GiB', such: '256MiB' }), {
    byDefault: '256MiB',
    about:
      'Memory for images and files that are fetched for upstreams, over all requests; beyond it requests get 503.',
  }),
  upstreamsForMembers: setting(kinds.switchSetting, {
    member: 'showsUpstreamsToMembers',
    byDefault: 'off',
    about:
      'Whether members of an account see in the console which upstreams served their requests, and the request ids of those: on or off. Administrators always do.',
  }),
  metricsListen: setting(kinds.listenSetting, {
    about:
      'Address on which /metrics is served instead of on listen, for a network that only operators reach.',
  }),
  metricsToken: setting(kinds.tokenSetting, {
    isSecret: true,
    about: `Token that /metrics asks for as "Authorization: Bearer", ${kinds.tokenCharactersMin} characters or more. Without metricsListen and metricsToken, /metrics is served only when listen is a loopback address.`,
  }),
  bodiesInFlightBytesMax: setting(kinds.sizeSetting({ least: '1MiB', such: '256MiB' }), {
    byDefault: '256MiB',
    about:
      'Request bodies that this process holds at once, from their first byte until their answer ends; beyond it, 503 with Retry-After. One account gets at most half of it.',
  }),
  connectionsPerAddressMax: setting(kinds.countOrAutoSetting, {
    byDefault: 'auto',
    about:
      'Open connections of one address; newer ones are closed. auto is 1024 and spares loopback addresses; 0 means no limit. Trusted proxies are always spared. Linux only.',
  }),
  connectionsMax: setting(kinds.countSetting(16), {
    byDefault: '16384',
    about:
      'Open connections of this process; beyond it, the newest of the address with the most are closed. At most nine tenths of the open files that the system allows. Linux only.',
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
  about: 'The configuration file; ./tollgate.yaml is read when it exists.',
} as const

/** The section of the file with the objects that should exist in the database. */
export const provisionName = 'provision'
