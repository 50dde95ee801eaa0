import type { DemoFault } from './demo-protocol.ts'
import type { DemoRoute } from './route-request.ts'

export function refuseRequest(
  route: Exclude<DemoRoute, { readonly kind: 'models' }>,
  fault: DemoFault,
): Response {
  const body = route.protocol.encodeFault(fault)
  // A client that reads a JSON array also expects an error inside an array.
  const isInArray = route.kind === 'answer' && route.framing === 'json-array'
  return Response.json(isInArray ? [body] : body, { status: fault.status })
}
