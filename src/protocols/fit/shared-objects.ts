import { isObject, type JsonObject } from '../../wire/json.ts'

/** A field that names something in the upstream's account, which all callers of the gateway share. */
export interface SharedObject {
  readonly param: string
  readonly id: string
}

/** The findings of a scan of the whole body. */
export interface BodySurvey {
  readonly objects: readonly SharedObject[]
  /** The first field with audio, or with video that includes audio. */
  readonly audioParam: string | undefined
}

/** Members that are ids of such objects at any depth, as one id or a list. */
const idMembers = new Set([
  'cachedContent',
  'cached_content',
  'collection_ids',
  'connector_id',
  'container_id',
  'datastore',
  'fileSearchStoreNames',
  'file_id',
  'file_ids',
  'file_search_store_names',
  'library_ids',
  'ragCorpora',
  'ragCorpus',
  'rag_corpora',
  'rag_corpus',
  'vector_store_ids',
])
/** Members that name an object by its id, or as an object with an id. Other objects there name nothing. */
const objectMembers = new Set(['audio', 'container', 'voice'])
/** The same, for members at the top level of the body. */
const topMembers = new Set(['conversation', 'prompt'])
const addressMembers = new Set(['fileUri', 'file_uri', 'file_url', 'image_url', 'url'])
const mimeMembers = new Set(['media_type', 'mimeType', 'mime_type'])

/** Members with the client's own JSON or with text of an earlier answer. The upstream looks up nothing in them. */
const passedOver = new Set([
  'annotations',
  'args',
  'arguments',
  'citations',
  'client_metadata',
  'format',
  'input_examples',
  'input_schema',
  'json_schema',
  'labels',
  'logit_bias',
  'metadata',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'response',
  'responseJsonSchema',
  'responseSchema',
  'response_format',
  'response_json_schema',
  'response_schema',
  'schema',
])
/** Calls whose `input` is the model's own JSON. */
const callTypes = new Set<unknown>(['tool_use', 'server_tool_use', 'mcp_tool_use'])

const nothing: BodySurvey = { objects: [], audioParam: undefined }

/** Whether a member must be examined or can be skipped. */
const members = new Map<string, 'look' | 'pass over'>([
  ...[...idMembers, ...objectMembers, ...topMembers, ...addressMembers, ...mimeMembers].map(
    (name) => [name, 'look'] as const,
  ),
  ['skill_id', 'look'],
  ...[...passedOver].map((name) => [name, 'pass over'] as const),
])
const searchedTypes = new Set(['input_audio', 'image_generation_call'])

/** Scans the whole body. Most bodies name no object, and their scan is fast and allocates nothing. */
export function surveyBody(value: JsonObject): BodySurvey {
  if (!mayContainReference(value)) return nothing
  const survey = new Survey()
  survey.enter(value)
  return survey.objects.length === 0 && survey.audioParam === undefined ? nothing : survey
}

function mayContainReference(value: object): boolean {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index]
      if (typeof item === 'object' && item !== null && mayContainReference(item)) return true
    }
    return false
  }
  for (const name in value) {
    const member = (value as JsonObject)[name]
    const isText = typeof member === 'string'
    if (!isText && (typeof member !== 'object' || member === null)) continue
    const kind = members.get(name)
    if (kind === 'look') return true
    if (isText) {
      if (name === 'type' && searchedTypes.has(member)) return true
    } else if (kind === undefined && mayContainReference(member)) return true
  }
  return false
}

class Survey implements BodySurvey {
  readonly objects: SharedObject[] = []
  audioParam: string | undefined
  readonly #path: (string | number)[] = []

  enter(value: JsonObject): void {
    const { type } = value
    if (typeof type === 'string') {
      if (type.endsWith('code_execution_tool_result')) return
      if (type === 'input_audio') this.#noteAudio()
      if (type === 'image_generation_call' && typeof value['result'] !== 'string') {
        this.#noteText('id', value['id'])
      }
    }
    const isCall = callTypes.has(type)
    for (const name in value) {
      const member = value[name]
      if (typeof member === 'string') this.#readText(name, member, value)
      else if (typeof member === 'object' && member !== null) {
        if (passedOver.has(name) || (isCall && name === 'input')) continue
        this.#readNested(name, member)
      }
    }
  }

  #readText(name: string, text: string, owner: JsonObject): void {
    if (idMembers.has(name)) this.#noteText(name, text)
    else if (addressMembers.has(name)) {
      if (isSharedAddress(text, name)) this.#noteText(name, text)
    } else if (mimeMembers.has(name)) {
      if (/^(?:audio|video)\//i.test(text)) this.#noteAudio()
    } else if (name === 'container') this.#noteText(name, text)
    else if (name === 'conversation') {
      if (this.#path.length === 0) this.#noteText(name, text)
    } else if (name === 'skill_id' && owner['type'] !== 'anthropic') this.#noteText(name, text)
  }

  #readNested(name: string, member: object): void {
    this.#path.push(name)
    if (Array.isArray(member)) this.#readList(name, member)
    else if (isObject(member)) {
      const isTop = this.#path.length === 1
      if (objectMembers.has(name) || (isTop && topMembers.has(name))) {
        this.#noteText('id', member['id'])
      }
      this.enter(member)
    }
    this.#path.pop()
  }

  #readList(name: string, list: readonly unknown[]): void {
    const isIds = idMembers.has(name)
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index]
      this.#path.push(index)
      if (isObject(item)) this.enter(item)
      else if (Array.isArray(item)) this.#readList(name, item)
      else if (isIds) this.#noteText(undefined, item)
      this.#path.pop()
    }
  }

  #noteText(name: string | undefined, id: unknown): void {
    if (typeof id !== 'string' || id === '') return
    this.objects.push({ param: this.#place(name), id })
  }

  #noteAudio(): void {
    this.audioParam ??= this.#place(undefined)
  }

  #place(name: string | undefined): string {
    let place = ''
    for (const step of name === undefined ? this.#path : [...this.#path, name]) {
      if (typeof step === 'number') place += `[${step}]`
      else place += place === '' ? step : `.${step}`
    }
    return place
  }
}

const publicSchemes = new Set(['http:', 'https:', 'data:'])
const filePath = /^\/(?:upload\/)?v\d[a-z0-9]*\/files\//

/** Whether a URL leads into the upstream's account: its bucket, or its file store. */
function isSharedAddress(address: string, name: string): boolean {
  if (address.startsWith('data:') || address === '') return false
  const isFileMember = name === 'fileUri' || name === 'file_uri'
  const url = URL.parse(address)
  // The upstream rejects an invalid URL itself, except in fields that accept file names.
  if (!url) return isFileMember
  const { protocol, hostname, pathname } = url
  if (!publicSchemes.has(protocol)) return true
  if (filePath.test(pathname)) return true
  return hostname === 'generativelanguage.googleapis.com'
}
