import { masked, maskUrl } from './mask.ts'
import { openIdSettings } from './open-id-settings.ts'
import type { Setting } from './setting.ts'
import * as schemas from './setting-schemas.ts'

/** Keeps the type of each value while checking that the description is whole. */
function setting<Value>(description: Setting<Value>): Setting<Value> {
  return description
}

/** Every setting there is, in the order in which people should read them. */
export const settings = {
  listen: setting({
    name: 'listen',
    variable: 'TOLLGATE_LISTEN',
    flag: 'listen',
    placeholder: 'HOST:PORT',
    byDefault: '127.0.0.1:8080',
    description:
      'Address to listen on; :8080 means every interface, port 0 lets the system choose.',
    schema: schemas.listenSchema,
  }),
  publicUrl: setting({
    name: 'publicUrl',
    variable: 'TOLLGATE_PUBLIC_URL',
    flag: 'public-url',
    placeholder: 'URL',
    byDefault: undefined,
    description:
      'Where people reach the gateway, such as https://models.example.com behind a proxy; used in the links that are printed.',
    schema: schemas.publicUrlSchema,
  }),
  database: setting({
    name: 'database',
    variable: 'TOLLGATE_DATABASE',
    flag: 'database',
    placeholder: 'URL',
    byDefault: 'sqlite://data/tollgate.db',
    mask: maskUrl,
    description:
      'sqlite:// with a path (by default tollgate.db in the data folder), or a postgres:// url.',
    schema: schemas.databaseSchema,
  }),
  data: setting({
    name: 'data',
    variable: 'TOLLGATE_DATA',
    flag: 'data',
    placeholder: 'FOLDER',
    byDefault: 'data',
    description:
      'Folder of the generated secret, the journal of requests and, by default, the embedded database; it must survive restarts, with Postgres too.',
    schema: schemas.folderSchema,
  }),
  brand: setting({
    name: 'brand',
    variable: 'TOLLGATE_BRAND',
    flag: 'brand',
    placeholder: 'WORD',
    byDefault: 'gateway',
    description: 'The word in the response header x-gateway-request-id.',
    schema: schemas.brandSchema,
  }),
  trustedProxies: setting({
    name: 'trustedProxies',
    variable: 'TOLLGATE_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    placeholder: 'LIST',
    byDefault: '',
    description: 'Addresses or networks whose X-Forwarded-For is believed.',
    schema: schemas.trustedProxiesSchema,
  }),
  webOrigins: setting({
    name: 'webOrigins',
    variable: 'TOLLGATE_WEB_ORIGINS',
    flag: 'web-origins',
    placeholder: 'LIST',
    byDefault: '',
    description:
      'Origins of web pages that may call the model endpoints from a browser; * lets all.',
    schema: schemas.webOriginsSchema,
  }),
  secret: setting({
    name: 'secret',
    variable: 'TOLLGATE_SECRET',
    flag: 'secret',
    placeholder: 'TEXT',
    byDefault: undefined,
    mask: () => masked,
    isSecret: true,
    description:
      'Protects keys and credentials in the database, 32 characters or more; absent: made once, in the data folder. A flag is visible to other users of the machine: prefer the variable.',
    schema: schemas.secretSchema,
  }),
  replica: setting({
    name: 'replica',
    variable: 'TOLLGATE_REPLICA',
    flag: 'replica',
    placeholder: 'NAME',
    byDefault: undefined,
    description: 'Name of this process among several on one database, the same after a restart.',
    schema: schemas.replicaSchema,
  }),
  logLevel: setting({
    name: 'logLevel',
    variable: 'TOLLGATE_LOG_LEVEL',
    flag: 'log-level',
    placeholder: 'LEVEL',
    byDefault: 'info',
    description: 'debug, info, warn or error.',
    schema: schemas.logLevelSchema,
  }),
  demo: setting({
    name: 'demo',
    variable: 'TOLLGATE_DEMO',
    flag: 'demo',
    placeholder: 'MODE',
    byDefault: 'auto',
    description:
      'The built-in demo upstream: on, off, or auto, which is on while there is no other. Asked for with on, or the flag alone, it comes with a month of usage.',
    schema: schemas.demoSchema,
  }),
  bodyBytesMax: setting({
    name: 'bodyBytesMax',
    variable: 'TOLLGATE_BODY_BYTES_MAX',
    flag: 'body-bytes-max',
    placeholder: 'SIZE',
    byDefault: '32MiB',
    description: 'Largest request body that is accepted, such as 32MiB or a number of bytes.',
    schema: schemas.bodyBytesMaxSchema,
  }),
  drainSeconds: setting({
    name: 'drainSeconds',
    variable: 'TOLLGATE_DRAIN_SECONDS',
    flag: 'drain-seconds',
    placeholder: 'SECONDS',
    byDefault: '30',
    description: 'How long requests in flight may go on after the order to stop.',
    schema: schemas.drainSecondsSchema,
  }),
  lameDuckSeconds: setting({
    name: 'lameDuckSeconds',
    variable: 'TOLLGATE_LAME_DUCK_SECONDS',
    flag: 'lame-duck-seconds',
    placeholder: 'SECONDS',
    byDefault: '5',
    description:
      'After SIGTERM or SIGHUP: how long /readyz is 503 while requests are still taken, so that load balancers notice; then drainSeconds begins.',
    schema: schemas.lameDuckSecondsSchema,
  }),
  responseRetentionDays: setting({
    name: 'responseRetentionDays',
    variable: 'TOLLGATE_RESPONSE_RETENTION_DAYS',
    flag: 'response-retention-days',
    placeholder: 'DAYS',
    byDefault: '30',
    description:
      'How long a response can be referred to by previous_response_id; 0 keeps none at all.',
    schema: schemas.responseRetentionDaysSchema,
  }),
  usageRetentionDays: setting({
    name: 'usageRetentionDays',
    variable: 'TOLLGATE_USAGE_RETENTION_DAYS',
    flag: 'usage-retention-days',
    placeholder: 'DAYS',
    byDefault: '0',
    description:
      'How long the usage log keeps its rows; 0 keeps them for ever. Entries and hourly sums always stay.',
    schema: schemas.usageRetentionDaysSchema,
  }),
  durability: setting({
    name: 'durability',
    variable: 'TOLLGATE_DURABILITY',
    flag: 'durability',
    placeholder: 'MODE',
    byDefault: 'journal',
    description:
      'What an answer waits for before its last byte leaves: journal, that its charge survives the death of the process; fsync, that it survives a loss of power; database, that the database has it.',
    schema: schemas.durabilitySchema,
  }),
  journalBytesMax: setting({
    name: 'journalBytesMax',
    variable: 'TOLLGATE_JOURNAL_BYTES_MAX',
    flag: 'journal-bytes-max',
    placeholder: 'SIZE',
    byDefault: '1GiB',
    description:
      'How much may wait on the disk for a database that does not answer; past it nothing new is admitted.',
    schema: schemas.journalBytesMaxSchema,
  }),
  privateMedia: setting({
    name: 'privateMedia',
    variable: 'TOLLGATE_PRIVATE_MEDIA',
    flag: 'private-media',
    placeholder: 'MODE',
    byDefault: 'off',
    description:
      'Images and files behind an address are fetched for upstreams that do not fetch: on also from private networks, off only from public addresses.',
    schema: schemas.privateMediaSchema,
  }),
  mediaBytesMax: setting({
    name: 'mediaBytesMax',
    variable: 'TOLLGATE_MEDIA_BYTES_MAX',
    flag: 'media-bytes-max',
    placeholder: 'SIZE',
    byDefault: '256MiB',
    description:
      'Memory for images and files that are fetched for upstreams, over all requests; beyond it requests get 503.',
    schema: schemas.mediaBytesMaxSchema,
  }),
  upstreamsForMembers: setting({
    name: 'upstreamsForMembers',
    variable: 'TOLLGATE_UPSTREAMS_FOR_MEMBERS',
    flag: 'upstreams-for-members',
    placeholder: 'MODE',
    byDefault: 'off',
    description:
      'Whether members of an account see in the console which upstreams served their requests, and the request ids of those: on or off. Administrators always do.',
    schema: schemas.upstreamsForMembersSchema,
  }),
  metricsListen: setting({
    name: 'metricsListen',
    variable: 'TOLLGATE_METRICS_LISTEN',
    flag: 'metrics-listen',
    placeholder: 'HOST:PORT',
    byDefault: undefined,
    description:
      'Address on which /metrics is served instead of on listen, for a network that only operators reach.',
    schema: schemas.listenSchema,
  }),
  metricsToken: setting({
    name: 'metricsToken',
    variable: 'TOLLGATE_METRICS_TOKEN',
    flag: 'metrics-token',
    placeholder: 'TEXT',
    byDefault: undefined,
    mask: () => masked,
    isSecret: true,
    description:
      'Token that /metrics asks for as "Authorization: Bearer", 16 characters or more. Without metricsListen and metricsToken, /metrics is served only when listen is a loopback address.',
    schema: schemas.metricsTokenSchema,
  }),
  bodiesInFlightBytesMax: setting({
    name: 'bodiesInFlightBytesMax',
    variable: 'TOLLGATE_BODIES_IN_FLIGHT_BYTES_MAX',
    flag: 'bodies-in-flight-bytes-max',
    placeholder: 'SIZE',
    byDefault: '256MiB',
    description:
      'Request bodies that this process holds at once, from their first byte until their answer ends; beyond it, 503 with Retry-After. One account gets at most half of it.',
    schema: schemas.bodiesInFlightBytesMaxSchema,
  }),
  connectionsPerAddressMax: setting({
    name: 'connectionsPerAddressMax',
    variable: 'TOLLGATE_CONNECTIONS_PER_ADDRESS_MAX',
    flag: 'connections-per-address-max',
    placeholder: 'NUMBER',
    byDefault: 'auto',
    description:
      'Open connections of one address; newer ones are closed. auto is 1024 and spares loopback addresses; 0 means no limit. Trusted proxies are always spared. Linux only.',
    schema: schemas.connectionsPerAddressMaxSchema,
  }),
  connectionsMax: setting({
    name: 'connectionsMax',
    variable: 'TOLLGATE_CONNECTIONS_MAX',
    flag: 'connections-max',
    placeholder: 'NUMBER',
    byDefault: '16384',
    description:
      'Open connections of this process; beyond it, the newest of the address with the most are closed. At most nine tenths of the open files that the system allows. Linux only.',
    schema: schemas.connectionsMaxSchema,
  }),
  ...openIdSettings,
}

/** Tells where the file is; it cannot stand in the file itself. */
export const configFileSetting = {
  variable: 'TOLLGATE_CONFIG',
  flag: 'config',
  placeholder: 'FILE',
  byDefault: 'tollgate.yaml',
  description: 'The configuration file; ./tollgate.yaml is read when it exists.',
} as const

/** The part of the file that says what should exist in the database. */
export const provisionName = 'provision'
