import { ActionIcon, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconX } from '../../icons/icons.ts'
import { memoized } from '../../parts/forms/memoized.tsx'
import { OrderList } from '../../parts/forms/order-list.tsx'
import { ModelSelect } from '../upstreams/model-select.tsx'

type Fallbacks = Readonly<Record<string, readonly string[]>>

export const FallbackFields = memoized(function FallbackFields(props: {
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
      {Object.entries(value).map(([model, fallbacks]) => (
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
            ids={fallbacks}
            onChange={(ids) => onChange({ ...value, [model]: ids })}
          />
          <ModelSelect
            key={fallbacks.length}
            size="xs"
            aria-label={t('groups.addFallbackModelFor', { model })}
            placeholder={t('groups.addFallbackModel')}
            value={undefined}
            onChange={(chosen) => {
              if (chosen === undefined || chosen === model || fallbacks.includes(chosen)) return
              onChange({ ...value, [model]: [...fallbacks, chosen] })
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
})
