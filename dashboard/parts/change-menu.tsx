import { Button, type ButtonProps, Menu } from '@mantine/core';
import { Fragment } from 'react';
import { IconChevronDown } from '#icons';
import { t } from '#texts';

interface Item {
  label: string;
  onClick: () => void;
  color?: string;
  disabled?: boolean;
  /** Stands apart from those above it. */
  isApart?: boolean;
}

type ChangeMenuProps = Omit<ButtonProps, 'children'> & {
  name: string;
  items: (Item | false)[];
  width?: number;
  position?: 'bottom-end' | 'bottom-start';
};

/** What can be changed of something, behind a button that names it for those who only hear it. */
export const ChangeMenu = ({ name, items, width = 240, position = 'bottom-end', ...button }: ChangeMenuProps) => (
  <Menu position={position} width={width}>
    <Menu.Target>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronDown size={14} aria-hidden />}
        aria-label={name}
        {...button}
      >
        {t`Change`}
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {items
        .filter((item) => item !== false)
        .map(({ label, isApart, ...item }) => (
          <Fragment key={label}>
            {isApart && <Menu.Divider />}
            <Menu.Item {...item}>{label}</Menu.Item>
          </Fragment>
        ))}
    </Menu.Dropdown>
  </Menu>
);
