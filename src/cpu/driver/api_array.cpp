// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays.
#include "cpu/driver/api.hpp"
#include "cpu/driver/array.hpp"
#include "cpu/driver/device.hpp"

namespace cucore::cpu::api {
namespace {

CUresult create(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  auto context = current_context();
  Image image = image_of(descriptor, 1, context->device());
  allocate_image(*context, image);
  auto array = std::make_shared<Array>(context, descriptor, std::move(image), false);
  *out = new_handle<CUarray>(array);
  context->adopt(ObjectKind::ARRAY, array->handle_bits());
  return CUDA_SUCCESS;
}

// Ends the handle before the memory, so that a second call for the object fails.
template <class T>
void destroy(const std::shared_ptr<T>& object) {
  require(Registry::instance().remove(T::KIND, object->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  object->context().disown(object->handle_bits());
  release_image(object->context(), object->image());
}

}  // namespace

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  require(pHandle && pAllocateArray);
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
  descriptor.Width = pAllocateArray->Width;
  descriptor.Height = pAllocateArray->Height;
  descriptor.Format = pAllocateArray->Format;
  descriptor.NumChannels = pAllocateArray->NumChannels;
  return create(pHandle, descriptor);
}

CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  require(pHandle && pAllocateArray);
  return create(pHandle, *pAllocateArray);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  require(pArrayDescriptor != nullptr);
  const CUDA_ARRAY3D_DESCRIPTOR& d = lookup<Array>(hArray)->descriptor();
  *pArrayDescriptor = {d.Width, d.Height, d.Format, d.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  require(pArrayDescriptor != nullptr);
  *pArrayDescriptor = lookup<Array>(hArray)->descriptor();
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray hArray) {
  auto array = lookup<Array>(hArray);
  if (!array->is_level()) destroy(array);  // the mipmapped array ends its levels
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  require(pHandle && pMipmappedArrayDesc);
  auto context = current_context();
  Image image = image_of(*pMipmappedArrayDesc, numMipmapLevels, context->device());
  allocate_image(*context, image);
  auto array = std::make_shared<MipmappedArray>(context, *pMipmappedArrayDesc, std::move(image));
  *pHandle = new_handle<CUmipmappedArray>(array);
  context->adopt(ObjectKind::MIPMAPPED_ARRAY, array->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  require(pLevelArray != nullptr);
  auto array = lookup<MipmappedArray>(hMipmappedArray);
  require(level < array->levels().size());
  *pLevelArray = handle_of<CUarray>(*array->levels()[level]);
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  destroy(lookup<MipmappedArray>(hMipmappedArray));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
