import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

/** OpenTelemetry. The endpoint enables it. */
export const otlpSettings = {
  otlpEndpoint: setting(kinds.collectorSetting, {
    about:
      'URL of an OpenTelemetry collector that takes OTLP over HTTP as JSON, such as http://127.0.0.1:4318. Without it nothing is sent.',
  }),
  otlpHeaders: setting(kinds.headersSetting, {
    isSecret: true,
    about:
      'Headers for the collector as name=value, separated by commas, such as authorization=Bearer TOKEN.',
  }),
  otlpSignals: setting(kinds.signalsSetting, {
    byDefault: 'traces,metrics,logs',
    about: 'What is sent to the collector: traces, metrics and logs, separated by commas.',
  }),
  traceSampleRate: setting(kinds.shareSetting, {
    byDefault: '0.1',
    about:
      'The share of requests whose trace is sent, from 0 to 1. A request with a traceparent header follows its sender instead.',
  }),
  traceParents: setting(kinds.enumSetting('MODE', ['accept', 'ignore']), {
    byDefault: 'accept',
    about:
      'Whether requests continue the trace of their traceparent header: accept, or ignore if clients must not decide what is sent.',
  }),
  traceUpstreams: setting(kinds.upstreamsSetting, {
    byDefault: '',
    about:
      'Ids of the upstreams that get traceparent and tracestate, separated by commas; * means all.',
  }),
}
