import { ActionIcon, Group, Paper, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { OrderList } from '../../parts/order-list.tsx'
import { ModelSelect } from '../upstreams/model-select.tsx'

type Fallbacks = Readonly<Record<string, readonly string[]>>

/** Fallback models. */
export function FallbackFields(props: {
  value: Fallbacks
  onChange: (fallbacks: Fallbacks) => void
}) {
  const { t } = useTranslation()
  const { value, onChange } = props
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={600}>
          {t('groups.fallbacks')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('groups.fallbacksHint')}
        </Text>
      </div>
      {Object.entries(value).map(([model, standIns]) => (
        <Paper key={model} withBorder p="xs">
          <Group justify="space-between" wrap="nowrap" mb="xs">
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {t('groups.insteadOf', { model })}
            </Text>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('order.remove', { name: model })}
              onClick={() => {
                const { [model]: _gone, ...rest } = value
                onChange(rest)
              }}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
          <OrderList
            label={t('groups.insteadOf', { model })}
            ids={standIns}
            onChange={(ids) => onChange({ ...value, [model]: ids })}
          />
          <ModelSelect
            key={standIns.length}
            size="xs"
            aria-label={t('groups.addStandIn', { model })}
            placeholder={t('groups.standIn')}
            value={undefined}
            onChange={(chosen) => {
              if (chosen === undefined || chosen === model || standIns.includes(chosen)) return
              onChange({ ...value, [model]: [...standIns, chosen] })
            }}
          />
        </Paper>
      ))}
      <ModelSelect
        key={Object.keys(value).length}
        aria-label={t('groups.addFallback')}
        placeholder={t('groups.addFallback')}
        value={undefined}
        onChange={(chosen) => {
          if (chosen !== undefined && !(chosen in value)) onChange({ ...value, [chosen]: [] })
        }}
      />
    </Stack>
  )
}
