import { Code, Group, Loader, Paper, ScrollArea, Stack, Table, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ProtocolName } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { formatDuration } from '../format/times.ts'
import { PageAnchor } from '../parts/page/page-anchor.tsx'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { CopyIcon } from '../parts/values/copy-icon.tsx'
import { Money } from '../parts/values/money.tsx'
import { StatusBadge } from '../parts/values/status-badge.tsx'
import { curlOf, pythonOf, typeScriptOf } from './request-code.ts'
import type { WireRequest } from './turn.ts'
import type { Run } from './use-player.ts'

interface RunPanelProps {
  readonly run: Run | undefined
  readonly isRunning: boolean
  /** The next request, shown before there is a run. */
  readonly wire: WireRequest
  readonly root: string
  readonly protocol: ProtocolName
}

/** Metrics, raw request, raw events and code of the last run. */
export function RunPanel({ run, isRunning, wire, root, protocol }: RunPanelProps) {
  const { t } = useTranslation()
  const sent = run?.wire ?? wire
  return (
    <Paper withBorder p="md">
      <Tabs defaultValue="answer" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="answer">{t('play.tab.answer')}</Tabs.Tab>
          <Tabs.Tab value="request">{t('play.tab.request')}</Tabs.Tab>
          <Tabs.Tab value="events">{t('play.tab.events')}</Tabs.Tab>
          <Tabs.Tab value="code">{t('play.tab.code')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="answer">
          {run ? (
            <Figures run={run} isRunning={isRunning} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('play.waiting')}
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <ScrollArea.Autosize mah={520} type="auto">
            <CodeBlock
              title={`POST ${sent.path}`}
              text={JSON.stringify(shortened(sent.body), null, 2)}
            />
          </ScrollArea.Autosize>
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <ScrollArea.Autosize mah={520} type="auto">
            {run && run.events.length > 0 ? (
              <Code block className="code-block">
                {run.events.join('\n\n')}
              </Code>
            ) : (
              <Text size="sm" c="dimmed">
                {t('play.waiting')}
              </Text>
            )}
          </ScrollArea.Autosize>
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <Stack gap="sm">
            <CodeBlock title="curl" text={curlOf(root, sent, protocol)} />
            <CodeBlock title="TypeScript" text={typeScriptOf(root, sent, protocol)} />
            <CodeBlock title="Python" text={pythonOf(root, sent, protocol)} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Paper>
  )
}

function Figures({ run, isRunning }: { run: Run; isRunning: boolean }) {
  const { t } = useTranslation()
  const { requestId, reply } = run
  const tokens = (count: number | undefined) => count?.toLocaleString('en-US') ?? '—'
  const time = (ms: number | undefined) => (ms === undefined ? '—' : formatDuration(ms))
  const rows = [
    [
      t('play.status'),
      run.status === undefined && isRunning ? (
        <Loader key="s" size={14} />
      ) : (
        <StatusBadge key="s" status={run.status ?? null} reason={null} />
      ),
    ],
    [t('play.firstToken'), time(run.firstTokenMs)],
    [t('play.total'), isRunning ? '…' : time(run.totalMs)],
    [t('play.tokens'), `${tokens(reply.inputTokens)} / ${tokens(reply.outputTokens)}`],
    [
      t('play.cost'),
      isRunning ? '…' : requestId === undefined ? '—' : <Cost key="c" requestId={requestId} />,
    ],
  ] as const
  return (
    <Stack gap="sm">
      <Table variant="vertical" withTableBorder fz="sm">
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={130} fw={400} c="dimmed">
                {name}
              </Table.Th>
              <Table.Td className="figures">{value}</Table.Td>
            </Table.Tr>
          ))}
          {requestId !== undefined && (
            <Table.Tr>
              <Table.Th fw={400} c="dimmed">
                {t('play.requestId')}
              </Table.Th>
              <Table.Td>
                <Group gap={4} wrap="nowrap">
                  <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                    {requestId}
                  </Text>
                  <CopyIcon value={requestId} />
                </Group>
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
      {requestId !== undefined && !isRunning && (
        <PageAnchor to="/usage" search={{ open: requestId }} size="sm">
          {t('play.inLog')}
        </PageAnchor>
      )}
    </Stack>
  )
}

const lookEveryMs = 700

/** The cost of a stream is in the log shortly after its end. */
function Cost({ requestId }: { requestId: string }) {
  const found = useQuery({
    queryKey: ['usage', 'cost', requestId],
    queryFn: ({ signal }) => call('GET /usage', { query: { request: requestId }, signal }),
    refetchInterval: ({ state }) => (state.data?.rows.length === 0 ? lookEveryMs : false),
  })
  const row = found.data?.rows[0]
  if (row) return <Money nano={row.costNano} />
  return found.error ? '—' : <Loader size={14} />
}

const shownCharacters = 400

/** Base64 images are shortened for display. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > shownCharacters * 4 ? `${value.slice(0, shownCharacters)}…` : value
  }
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]))
}
