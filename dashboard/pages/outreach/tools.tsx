import { Badge, Text } from '@mantine/core';
import type * as api from '#api';
import { sentence } from '#parts';
import { t } from '#texts';
import { formatDuration, Small } from '#words';
import classes from './tools.module.css';

type ToolCall = api.CallDetail['tools'][number];

/** What the agent did during a call: each tool with what it was given and what it answered. */
export const Tools = ({ tools }: { tools: ToolCall[] }) => (
  <ul className={classes.tools} aria-label={t`Tools used`}>
    {tools.map((tool) => (
      <li key={tool.toolCallId}>
        <details>
          <summary className={classes.summary}>
            <span className={classes.what}>
              <Text size="sm" fw={500} component="span">
                {sentence(tool.tool)}
              </Text>
              <Badge size="sm" color={tool.success === null ? 'blue' : tool.success ? 'green' : 'red'}>
                {tool.success === null
                  ? t`Running`
                  : tool.success
                    ? t`Done`
                    : t({ message: 'Refused', context: 'a tool' })}
              </Badge>
            </span>
            {tool.completedAt && (
              <Text size="xs" c="dimmed" component="span" className={classes.took}>
                {formatDuration(Date.parse(tool.completedAt) - Date.parse(tool.startedAt))}
              </Text>
            )}
          </summary>
          <div className={classes.sides}>
            <Side title={t`Arguments`} value={tool.arguments} />
            <Side title={t`Result`} value={tool.result} />
          </div>
        </details>
      </li>
    ))}
  </ul>
);

const Side = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <Small>{title}</Small>
    <pre className={classes.json} tabIndex={0} aria-label={title}>
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  </div>
);
