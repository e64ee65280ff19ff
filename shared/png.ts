import { crc32, deflateSync } from 'node:zlib';

/** Red, green and blue, from 0 to 255 each. */
export type Colour = readonly [number, number, number];

/** A filled rectangle, in pixels from the upper left corner. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  colour: Colour;
}

/** Rectangles on white, the later ones above the earlier, as PNG (RFC 2083). What mail clients show, who show no SVG. */
export function pngOf({ width, height }: { width: number; height: number }, rectangles: Rectangle[]): Buffer {
  const rowBytes = 1 + 3 * width;
  // Each row begins with its filter: none.
  const pixels = Buffer.alloc(rowBytes * height, 255);
  for (let row = 0; row < height; row += 1) pixels[row * rowBytes] = 0;
  for (const { x, y, colour, ...size } of rectangles) {
    const [left, right] = [x, x + size.width].map((edge) => within(edge, width));
    const [top, bottom] = [y, y + size.height].map((edge) => within(edge, height));
    for (let row = top ?? 0; row < (bottom ?? 0); row += 1) {
      for (let column = left ?? 0; column < (right ?? 0); column += 1)
        pixels.set(colour, row * rowBytes + 1 + 3 * column);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each of three colours.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const within = (edge: number, size: number): number => Math.min(size, Math.max(0, Math.round(edge)));

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
