import type { HostedTool } from '../../core/model-request.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../wire/json.ts'

/** Another protocol's web search: where to look and where the user is mean the same in all of them. */
export function encodeWebSearch(tool: HostedTool): JsonObject {
  const parsed = parseJson(tool.json)
  const value = isObject(parsed) ? parsed : {}
  const domains = value['allowed_domains']
  return {
    type: 'web_search',
    filters:
      Array.isArray(domains) && domains.length > 0 ? { allowed_domains: domains } : undefined,
    user_location: locationOf(value),
    search_context_size: stringAt(value, 'search_context_size'),
  }
}

/** chat-completions nests the place once more. */
function locationOf(value: JsonObject): JsonObject | undefined {
  const location = objectAt(value, 'user_location')
  if (!location) return undefined
  const place = objectAt(location, 'approximate') ?? location
  return {
    type: 'approximate',
    city: stringAt(place, 'city'),
    region: stringAt(place, 'region'),
    country: stringAt(place, 'country'),
    timezone: stringAt(place, 'timezone'),
  }
}
