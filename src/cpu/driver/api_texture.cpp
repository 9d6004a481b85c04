// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects.
#include "cpu/driver/api.hpp"
#include "cpu/driver/image_objects.hpp"

namespace cucore::cpu::api {
namespace {

// The handle is a number, unlike those of other objects.
template <class T>
std::shared_ptr<T> object_at(unsigned long long handle) {
  auto object = Registry::instance().find(T::KIND, handle);
  require(object != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return std::static_pointer_cast<T>(std::move(object));
}

template <class T>
unsigned long long added(const std::shared_ptr<T>& object) {
  const uint64_t handle = Registry::instance().add(T::KIND, object);
  object->publish();
  object->context().adopt(T::KIND, handle);
  return handle;
}

template <class T>
CUresult ended(unsigned long long handle) {
  auto object = object_at<T>(handle);
  require(Registry::instance().remove(T::KIND, handle) != nullptr, CUDA_ERROR_INVALID_HANDLE);
  object->context().disown(handle);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  require(pTexObject && pResDesc && pTexDesc);
  require(pResViewDesc == nullptr, CUDA_ERROR_NOT_SUPPORTED);
  *pTexObject = added(std::make_shared<TextureObject>(current_context(), *pResDesc, *pTexDesc));
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texObject) { return ended<TextureObject>(texObject); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  require(pResDesc != nullptr);
  *pResDesc = object_at<TextureObject>(texObject)->resource();
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  require(pTexDesc != nullptr);
  *pTexDesc = object_at<TextureObject>(texObject)->texture();
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  require(pSurfObject && pResDesc);
  *pSurfObject = added(std::make_shared<SurfaceObject>(current_context(), *pResDesc));
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) { return ended<SurfaceObject>(surfObject); }

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  require(pResDesc != nullptr);
  *pResDesc = object_at<SurfaceObject>(surfObject)->resource();
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
