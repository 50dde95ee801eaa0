import { SchemaNodes, SchemaWork } from '../../../../src/protocols/schema/schema-work.ts'

/** The work of one request's tools. */
export function schemaWork(nodes: SchemaNodes = new SchemaNodes()): SchemaWork {
  return new SchemaWork('tools', nodes)
}
