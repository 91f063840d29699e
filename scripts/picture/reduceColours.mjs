import { crc32, deflateSync } from 'node:zlib'

/** As many as a byte can name. */
const most = 256
/** Two colours that are closer than this, squared, become one. */
const leastDistance = 40

/** The pixels of a picture, which the browser can read. @param {import('playwright').Page} page @param {Buffer} picture */
async function readPixels(page, picture) {
  const { width, base64 } = await page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'))
    context.drawImage(image, 0, 0)
    const { data: bytes } = context.getImageData(0, 0, image.width, image.height)
    const lines = Array.from({ length: image.height }, (_, y) =>
      String.fromCodePoint(...bytes.subarray(y * image.width * 4, (y + 1) * image.width * 4)),
    )
    return { width: image.width, base64: btoa(lines.join('')) }
  }, picture.toString('base64'))
  const bytes = Buffer.from(base64, 'base64')
  const colours = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32BE(at * 4) >>> 8)
  return { width, colours }
}

/** @param {number} colour */
const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]

/** @param {number} a @param {number} b */
function distance(a, b) {
  const other = parts(b)
  return parts(a).reduce((sum, part, at) => sum + (part - other[at]) ** 2, 0)
}

/** The most frequent colours, and which of them stands for each. @param {number[]} colours */
function choosePalette(colours) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  /** @type {number[]} */
  const palette = []
  for (const [colour] of [...counts].toSorted((a, b) => b[1] - a[1]))
    if (palette.length < most && palette.every((each) => distance(each, colour) > leastDistance))
      palette.push(colour)
  const nearest = (/** @type {number} */ colour) =>
    palette.reduce(
      (best, each, at) => (distance(each, colour) < distance(palette[best], colour) ? at : best),
      0,
    )
  return { palette, indexOf: new Map([...counts.keys()].map((colour) => [colour, nearest(colour)])) }
}

/** @param {string} name @param {Uint8Array} data */
function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/**
 * Gives a picture at most 256 colours, each pixel a byte: a third of the size.
 * @param {import('playwright').Page} page that reads the picture
 * @param {Buffer} picture PNG
 */
export async function reduceColours(page, picture) {
  const { width, colours } = await readPixels(page, picture)
  const { palette, indexOf } = choosePalette(colours)
  const height = colours.length / width
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  // Eight bits, of a palette.
  head.set([8, 3], 8)
  // Each line begins with its filter: none.
  const lines = Array.from({ length: height }, (_, y) => [
    0,
    ...colours.slice(y * width, (y + 1) * width).map((colour) => indexOf.get(colour) ?? 0),
  ])
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(parts))),
    chunk('IDAT', deflateSync(Buffer.from(lines.flat()), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
